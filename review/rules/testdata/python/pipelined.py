import redis

from shop.db import engine
from sqlalchemy import text

R = redis.Redis.from_url("redis://cache")


def sell(sku: str, qty: int) -> bool:
    mutex = "mutex:" + sku
    with R.pipeline() as p:
        p.setnx(mutex, 1)
        p.expire(mutex, 10)  # want 3
        got, _ = p.execute()
    if not got:
        return False
    with engine.begin() as c:
        c.execute(text("UPDATE stock SET qty = qty - :q WHERE sku = :s"), {"q": qty, "s": sku})  # want 4
    R.delete(mutex)  # want 1
    return True
