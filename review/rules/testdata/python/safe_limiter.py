import time
from redis import Redis


class SlidingLimiter:
    def __init__(self, redis: Redis, limit: int, window: int):
        self.redis, self.limit, self.window = redis, limit, window

    def acquire(self, who: str) -> bool:
        now = time.time()
        key = f"rate:{who}"
        pipe = self.redis.pipeline()
        pipe.zremrangebyscore(key, 0, now - self.window)
        pipe.zadd(key, {str(now): now})
        pipe.zcard(key)
        pipe.expire(key, self.window)
        return pipe.execute()[2] <= self.limit

    def release(self, who: str) -> None:
        self.redis.delete(f"rate:{who}")


def login(redis: Redis, user: str):
    if redis.setnx(f"attempts:{user}", 0):
        redis.expire(f"attempts:{user}", 900)
    return redis.incr(f"attempts:{user}") < 5
