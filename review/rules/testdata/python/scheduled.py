import functools
import hashlib
import redis
from apscheduler.schedulers.background import BackgroundScheduler
import stripe

pool = redis.ConnectionPool(host="r")


def conn():
    return redis.Redis(connection_pool=pool)


def only_one(minutes):
    def wrap(fn):
        @functools.wraps(fn)
        def run(*args, **kwargs):
            key = hashlib.sha1(fn.__qualname__.encode()).hexdigest()
            try:
                free = conn().set(key, 1, ex=minutes * 60, nx=True)
            except redis.RedisError:  # want 9
                free = True
            if free:
                try:
                    return fn(*args, **kwargs)
                finally:
                    conn().delete(key)  # want 1
        return run
    return wrap


@only_one(15)
def collect():
    for sub in due():
        stripe.Charge.create(amount=sub.cents, customer=sub.customer)  # want 8


def due():
    return []


scheduler = BackgroundScheduler()
scheduler.add_job(collect, "interval", minutes=15)
