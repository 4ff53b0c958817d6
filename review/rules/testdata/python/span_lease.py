from datetime import timedelta
import redis, requests

HOLD = timedelta(seconds=10)

def announce(r: redis.Redis, text):
    with r.lock("announce", timeout=HOLD.total_seconds()): # want 7
        requests.put("https://chat.example/x", json={"c": text}, timeout=45)
