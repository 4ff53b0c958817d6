import os
import time
import uuid

import consul
import psycopg
import requests
from psycopg_pool import ConnectionPool
from redis import Redis
from redis.sentinel import Sentinel

from .models import Report

pool = ConnectionPool(os.environ["DSN"])
sentinel = Sentinel([("s1", 26379)])


class Tenancy:
    def __init__(self, redis: Redis, name: str):
        self._redis = redis
        self._name = name
        self._mark = None

    def __enter__(self):
        self._mark = str(uuid.uuid4())
        while not self._redis.set(self._lock(), self._mark, px=10_000, nx=True):  # want 7
            time.sleep(0.1)
        return self

    def __exit__(self, *_):
        if self._redis.get(self._lock()) == self._mark:
            self._redis.delete(self._lock())  # want 2

    def _lock(self):
        return "tenant:%s:lock" % self._name


def rebuild(report: Report, name: str):
    with Tenancy(sentinel.master_for("m", decode_responses=True), name):
        rows = requests.get("https://source.example", params={"n": name}).json()
        report.rows = rows
        report.save()  # want 4


def on_pool(number):
    with pool.connection() as c:
        if not c.execute("SELECT pg_try_advisory_lock(%s)", (number,)).fetchone()[0]:  # want 13
            return False
    try:
        Report.objects.filter(number=number).update(done=True)  # want 4
    finally:
        with pool.connection() as c:
            c.execute("SELECT pg_advisory_unlock(%s)", (number,))  # want 10
    return True


def lead(me):
    c = consul.Consul()
    sid = c.session.create(ttl=15)
    while True:
        if not c.kv.put("reports/leader", me, acquire=sid):
            time.sleep(5)
            continue
        with psycopg.connect(os.environ["DSN"]) as db:
            db.execute("UPDATE reports SET due = false")  # want 11
        c.session.renew(sid)
        time.sleep(5)


def by_clock(db: psycopg.Connection, me: str):
    now = time.time()
    cur = db.execute(
        "UPDATE report_lease SET owner = %s, expires = %s WHERE id = 1 AND (owner IS NULL OR expires < %s)",
        (me, now + 30, now),  # want 6
    )
    return cur.rowcount == 1
