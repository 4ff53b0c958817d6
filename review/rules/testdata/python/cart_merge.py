import os

from redis import Redis
from sqlalchemy import text

r = Redis.from_url(os.environ["REDIS_URL"])
HOLD = float(os.getenv("CART_HOLD_SECONDS", 15))


def merge(engine, user_id, guest_cart):
    gate = r.lock(f"cart:{user_id}", timeout=HOLD, blocking_timeout=2)
    gate.acquire()  # want 9
    try:
        with engine.begin() as tx:
            tx.execute(text("UPDATE carts SET items = items || :i WHERE user_id = :u"), {"i": guest_cart, "u": user_id})  # want 4
    finally:
        gate.release()
