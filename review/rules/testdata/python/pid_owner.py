import os

import redis

rdb = redis.Redis()
UNLOCK = rdb.register_script("""
if redis.call("GET", KEYS[1]) == ARGV[1] then
    return redis.call("DEL", KEYS[1])
end
return 0
""")


def reindex(index):
    owner = str(os.getpid())
    if not rdb.set(f"reindex-lock:{index}", owner, nx=True, ex=600):  # want 19
        return False
    try:
        index.rebuild()
    finally:
        if not UNLOCK(keys=[f"reindex-lock:{index}"], args=[owner]):
            raise RuntimeError("lost")
    return True
