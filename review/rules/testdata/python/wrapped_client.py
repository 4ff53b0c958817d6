import uuid
from urllib import request

import redis


class Kv:
    def __init__(self, url):
        self._c = redis.Redis.from_url(url)

    def put_new(self, k, v, seconds):
        return bool(self._c.set(k, v, nx=True, ex=seconds))  # want 7

    def drop(self, k):
        self._c.delete(k)  # want 1


def refund_all(kv: Kv, orders):
    if not kv.put_new("refunds:busy", uuid.uuid4().hex, 300):
        return
    try:
        for o in orders:
            req = request.Request(f"https://pay.example/refunds/{o}", data=b"{}", method="POST")
            request.urlopen(req, timeout=3)  # want 8
    finally:
        kv.drop("refunds:busy")
