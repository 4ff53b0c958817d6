import redis

r = redis.Redis()


def admit(user):
    """The first request of a window starts its clock."""
    key = f"holder:count:{user}"
    n = r.incr(key)
    if n == 1:
        r.expire(key, 60)
    return n < 10
