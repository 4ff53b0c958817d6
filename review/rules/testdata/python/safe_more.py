import threading
import time
from multiprocessing import Lock

import redis
from filelock import FileLock
from sqlalchemy import text

DROP = """
if redis.call('get', KEYS[1]) == ARGV[1] then
  return redis.call('del', KEYS[1])
end
return 0
"""
guard = Lock()


class Visits:
    def __init__(self, r: redis.Redis):
        self.r = r
        self.lock = threading.RLock()

    def first(self, user):
        with self.lock:
            return bool(self.r.set(f"seen:{user}", 1, nx=True, ex=86400))

    def unlock_account(self, user):
        self.r.delete(f"account-locked:{user}")

    def lock_account(self, user):
        self.r.set(f"account-locked:{user}", 1, ex=900)


def compare_and_drop(r: redis.Redis, name, owner):
    if r.eval(DROP, 1, name, owner) != 1:
        raise RuntimeError("lost " + name)


def watched(r: redis.Redis, name, owner):
    with r.pipeline() as p:
        p.watch(name)
        if p.get(name) != owner:
            return False
        p.multi()
        p.delete(name)
        return p.execute() == [1]


def take(r: redis.Redis, name, owner):
    return r.set(name, owner, nx=True, px=30000)


def one_host():
    with FileLock("/var/lock/report.lock"):
        time.sleep(1)


def counted(session, account, cents):
    with session.begin():
        row = session.execute(text("SELECT cents FROM accounts WHERE id = :a FOR UPDATE"), {"a": account}).one()
        session.execute(text("SELECT pg_advisory_xact_lock(42)"))
        session.execute(text("UPDATE accounts SET cents = :c WHERE id = :a"), {"c": row.cents + cents, "a": account})
