import secrets

import boto3
import redis


class Claim:
    def __init__(self, r: redis.Redis, what: str):
        self.r = r
        self.what = what
        self.mark = secrets.token_hex(8)

    def __enter__(self):
        self.ok = self.r.set(self.what, self.mark, nx=True, ex=20)
        return self

    def __exit__(self, *exc):
        if self.ok and self.r.get(self.what) == self.mark.encode():
            self.r.delete(self.what)  # want 2


def announce(r, order):
    with Claim(r, f"order/{order.id}") as c:
        if c.ok:
            boto3.client("sns").publish(TopicArn="arn:aws:sns:x", Message=str(order.id))  # want 8
