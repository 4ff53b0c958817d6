from kazoo.client import KazooClient
from kazoo.exceptions import LockTimeout

def report(zk: KazooClient, mailer):
    lock = zk.Lock("/jobs/report", "me")
    try:
        lock.acquire(blocking=True, timeout=5)
    except LockTimeout:
        return
    try:
        build()
    finally:
        lock.release() # want 10
