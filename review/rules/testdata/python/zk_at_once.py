from kazoo.client import KazooClient

def report(zk: KazooClient):
    lock = zk.Lock("/jobs/report", "me")
    lock.acquire(blocking=False) # want 9
    try:
        build()
    finally:
        lock.release() # want 10
