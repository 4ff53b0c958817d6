import contextlib
import uuid

import pymemcache
import redis
from redis.exceptions import ConnectionError, LockError

r = redis.Redis()
mc = pymemcache.Client("cache:11211")


def go_on(db, day):
    with contextlib.suppress(ConnectionError):
        r.set("day:lock", uuid.uuid4().hex, nx=True, ex=60)  # want 9
    db.execute("UPDATE days SET closed = true WHERE day = %s", (day,))  # want 4


def blocking(db, day):
    lock = r.lock("day:close", timeout=30, blocking_timeout=5)
    lock.acquire()  # want 9
    try:
        db.execute("UPDATE days SET closed = true WHERE day = %s", (day,))  # want 4
    finally:
        try:
            lock.release()  # want 10
        except LockError:
            pass


def memc(db, day):
    if not mc.add("day:lock", b"1", expire=30, noreply=False):
        return
    db.execute("UPDATE days SET closed = true WHERE day = %s", (day,))  # want 4
    mc.delete("day:lock")  # want 1


def looked(db, day):
    lock = r.lock("day:look", timeout=30)
    if not lock.acquire(blocking=False):
        return
    rows = slow(day)
    if lock.owned():
        db.execute("UPDATE days SET rows = %s WHERE day = %s", (rows, day))  # want 4 12
    lock.release()
