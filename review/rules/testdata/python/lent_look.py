import contextlib
import uuid

import redis

r = redis.Redis()
GIVE = r.register_script("if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0")


@contextlib.contextmanager
def held(name):
    key, tag = f"lock:{name}", uuid.uuid4().hex
    if not r.set(key, tag, nx=True, px=30000):
        raise RuntimeError("busy")
    try:
        yield lambda: r.get(key) == tag.encode()
    finally:
        if GIVE(keys=[key], args=[tag]) == 0:
            raise RuntimeError("lost")


def rename(db, account, name):
    with held(f"account-{account}") as mine:
        if not mine():
            raise RuntimeError("lost")
        db.execute("UPDATE accounts SET name = %s WHERE id = %s", (name, account)) # want 4 12
