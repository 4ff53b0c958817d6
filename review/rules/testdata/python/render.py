import subprocess
import uuid

import redis

r = redis.Redis()
DROP = r.register_script("if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end")


def render(page: str) -> bool:
    mine = uuid.uuid4().hex
    if not r.set(f"lock:render:{page}", mine, nx=True, ex=30):  # want 7
        return False
    for size in ("small", "large"):
        subprocess.run(["render", page, size], check=True)
    return DROP(keys=[f"lock:render:{page}"], args=[mine]) == 1


def render_in_time(page: str) -> bool:
    mine = uuid.uuid4().hex
    if not r.set(f"lock:render:{page}", mine, nx=True, ex=90):
        return False
    for size in ("small", "large"):
        subprocess.run(["render", page, size], check=True, timeout=30)
    return DROP(keys=[f"lock:render:{page}"], args=[mine]) == 1
