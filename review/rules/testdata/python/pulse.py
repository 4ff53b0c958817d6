import threading
import uuid

import redis

from billing import settle_day

client = redis.Redis(decode_responses=True)
RELEASE = client.register_script(
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0"
)


def pulse(key, stop):
    while not stop.wait(10):
        client.expire(key, 30)  # want 16


def run_settlement(day):
    key, me = "settle-lock", uuid.uuid4().hex
    if not client.set(key, me, nx=True, ex=30):
        return
    stop = threading.Event()
    threading.Thread(target=pulse, args=(key, stop), daemon=True).start()
    try:
        settle_day(day)
    finally:
        stop.set()
        if not RELEASE(keys=[key], args=[me]):
            raise RuntimeError("the lock had ended before the work did")
