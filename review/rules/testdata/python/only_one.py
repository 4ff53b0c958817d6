from functools import wraps
from uuid import uuid4

from flask import current_app
import redis

store = redis.StrictRedis(host="cache.internal")


def only_one(task_key, timeout=300):
    def decorate(fn):
        @wraps(fn)
        def inner(*args, **kwargs):
            mine = str(uuid4())
            name = f"running:{task_key}"
            if not store.set(name, mine, ex=timeout, nx=True):
                current_app.logger.info("%s is running elsewhere", task_key)
                return None
            try:
                return fn(*args, **kwargs)
            finally:
                held_by = store.get(name)
                if held_by is not None and held_by.decode() == mine:
                    store.delete(name)  # want 2
        return inner
    return decorate
