import redis

from .keys import seen

store = redis.Redis()


def handle(event, work):
    if not store.set(seen(event), 1, nx=True, ex=3600):
        return
    work(event)
