import json
import redis
from django.core.cache import cache

r = redis.Redis()


def locked_out(user_id):
    return cache.get(f"lockout:{user_id}") is not None


def unlock_account(user_id):
    cache.delete(f"lockout:{user_id}")


def profile(user_id, load):
    key = f"profile:{user_id}"
    hit = r.get(key)
    if hit:
        return json.loads(hit)
    value = load(user_id)
    r.set(key, json.dumps(value), ex=300)
    return value


def forget(user_id):
    r.delete(f"profile:{user_id}")
