import os
import uuid
from datetime import datetime, timedelta, timezone

import asyncpg
import redis
import requests

r = redis.Redis(decode_responses=True)
FREE = r.register_script("if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end")


def fetch_all(urls):
    """No lock here: a fetch without a limit is somebody else's business."""
    for u in urls:
        yield requests.get(u).json()


def session_until(user):
    expires_at = datetime.now(timezone.utc) + timedelta(hours=1)
    r.set(f"session:{user}", "1", ex=3600)
    if r.get(f"session:{user}") is None or expires_at < datetime.now(timezone.utc):
        return None
    return expires_at


def leader_name():
    return r.get("status:leader")


async def owned(pool: asyncpg.Pool, number: int):
    async with pool.acquire() as conn:
        if not await conn.fetchval("SELECT pg_try_advisory_lock($1)", number):
            return
        try:
            await conn.execute("REFRESH MATERIALIZED VIEW totals")
        finally:
            if not await conn.fetchval("SELECT pg_advisory_unlock($1)", number):
                raise RuntimeError("the session was lost")


def warm(page):
    me = uuid.uuid4().hex
    if not r.set(f"warm:lock:{page}", me, nx=True, px=5000):
        return
    try:
        r.set(f"page:{page}", requests.get("https://origin.example/" + page, timeout=2).text, ex=60)
    finally:
        if not FREE(keys=[f"warm:lock:{page}"], args=[me]):
            print("warm lock ended early", page)
