import uuid
from contextlib import contextmanager

from .client import store

UNLOCK = store.register_script("if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0")


class Lost(Exception):
    pass


@contextmanager
def exclusive(name, seconds=60):
    me = uuid.uuid4().hex
    if not store.set(f"lock:{name}", me, nx=True, ex=seconds):
        raise Lost(name)
    try:
        yield
    finally:
        if not UNLOCK(keys=[f"lock:{name}"], args=[me]):
            raise Lost(name)
