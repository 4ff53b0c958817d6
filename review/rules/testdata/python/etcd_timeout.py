import etcd3

def report():
    client = etcd3.client()
    lock = client.lock("report", ttl=60)
    lock.acquire(timeout=5) # want 9
    try:
        build()
    finally:
        lock.release() # want 10
