import time
import redis

r = redis.Redis()


def publish_snapshot(db, shard):
    lock = r.lock(f"snapshot:{shard}", timeout=60)
    if not lock.acquire(blocking=False):
        return
    fence = int(time.time() * 1000)  # want 5
    try:
        db.execute("UPDATE shards SET snapshot = %s, fence = %s WHERE id = %s AND fence < %s", (db.snapshot(), fence, shard, fence))
    finally:
        lock.release()
