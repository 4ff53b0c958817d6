import redis
from redis.exceptions import WatchError


def release(conn: redis.Redis, name: str, owner: str) -> bool:
    key = "lock:" + name
    with conn.pipeline(transaction=True) as pipe:
        while True:
            try:
                pipe.watch(key)
                if pipe.get(key) != owner.encode():
                    pipe.unwatch()
                    return False
                pipe.multi()
                pipe.delete(key)
                pipe.execute()
                return True
            except WatchError:
                continue
