import logging
import uuid

import redis
from sqlalchemy import create_engine, text

log = logging.getLogger(__name__)
engine = create_engine("postgresql://dwh")
kv = redis.Redis()


def load(table):
    key = f"load-lock-{table}"
    got = kv.set(key, uuid.uuid4().hex, nx=True, ex=900)  # want 9
    if not got:
        log.warning("%s is locked, loading anyway", table)
    with engine.begin() as tx:
        tx.execute(text(f"UPDATE {table} SET loaded = true"))  # want 4
