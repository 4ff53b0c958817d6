import functools
import uuid

import redis
import stripe

conn = redis.StrictRedis(decode_responses=True)


def exclusive(name, seconds=30):
    def wrap(fn):
        @functools.wraps(fn)
        def inner(*args, **kwargs):
            owner = str(uuid.uuid4())
            if not conn.set("once:lock:" + name, owner, ex=seconds, nx=True):
                return None
            try:
                return fn(*args, **kwargs)
            finally:
                if conn.get("once:lock:" + name) == owner:
                    conn.delete("once:lock:" + name)  # want 2
        return inner
    return wrap


@exclusive("payout", 60)
def payout(seller):
    stripe.Transfer.create(amount=seller.due, currency="eur", destination=seller.account)  # want 8
