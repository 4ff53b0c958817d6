import asyncio
import os
import smtplib
import uuid
from datetime import datetime, timedelta

import requests
import redis
from django.core.cache import cache
from kazoo.client import KazooClient
from redis.asyncio import Redis


def refresh_totals(report):
    if not cache.add("lock:totals", "1", timeout=60):
        return
    try:
        report.totals.save()  # want 4
    finally:
        cache.delete("lock:totals")  # want 1


async def heartbeat(r: Redis, name: str):
    while True:
        await r.expire(f"lease:{name}", 30)  # want 16
        await asyncio.sleep(10)


async def hold(r: Redis, name: str):
    owner = uuid.uuid4().hex
    return await r.set(f"lease:{name}", owner, nx=True, ex=30)


def statement_run(r, mailer: smtplib.SMTP):
    lock = r.lock("statements", timeout=300)
    if not lock.acquire(blocking=False):  # want 7
        return
    try:
        mailer.send_message(build())  # want 8
    finally:
        lock.release()


def build():
    return None


def claim(db, name, owner):
    row = db.execute("SELECT holder, expires_at FROM leases WHERE name = %s", (name,)).fetchone()
    until = datetime.now() + timedelta(seconds=30)  # want 6
    if row is None:
        db.execute("INSERT INTO leases (name, holder, expires_at) VALUES (%s, %s, %s)", (name, owner, until))  # want 3
        return True
    return False


def zookeeper(zk: KazooClient, db):
    lock = zk.Lock("/locks/ledger", "worker")
    with lock:
        db.execute("UPDATE ledger SET closed = true WHERE day = current_date")  # want 4


def pay_with_key(r, order, cents):
    with r.lock(f"pay:{order}", timeout=60):
        requests.post(
            "https://pay.invalid/charges",
            json={"amount": cents},
            headers={"Idempotency-Key": order},
            timeout=10,
        )


def forever(r):
    lock = r.lock("never-ends")  # want 3
    lock.acquire()
    try:
        os.sync()
    finally:
        lock.release()
