import logging
import uuid

from redis import Redis, RedisError

log = logging.getLogger(__name__)
END = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0"


def only_here(r: Redis, what: str) -> str | None:
    me = uuid.uuid4().hex
    try:
        if r.set(f"only:{what}", me, nx=True, px=15000):  # want 7
            return me
        return None
    except RedisError:  # want 9
        log.exception("no redis, going on")
        return me


def nightly(r: Redis, stripe, bills):
    me = only_here(r, "bills")
    if me is None:
        return
    try:
        for b in bills:
            stripe.PaymentIntent.create(amount=b.cents, currency="eur")  # want 8
    finally:
        if r.eval(END, 1, "only:bills", me) == 0:
            log.warning("late")
