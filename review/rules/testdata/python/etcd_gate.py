import uuid
import etcd3
import psycopg

client = etcd3.client()


def take(name: str) -> bool:
    lease = client.lease(20)
    ok, _ = client.transaction(
        compare=[client.transactions.version(f"/jobs/{name}") == 0],
        success=[client.transactions.put(f"/jobs/{name}", uuid.uuid4().hex, lease)],
        failure=[],
    )
    return ok


def rotate(dsn: str) -> None:
    with client.lock("rotate-keys", ttl=30):
        with psycopg.connect(dsn) as conn:
            conn.execute("UPDATE api_keys SET active = false WHERE created < now() - interval '90 days'")  # want 4


def rotate_nowait(dsn: str) -> None:
    gate = client.lock("rotate-keys", ttl=30)
    gate.acquire(timeout=1)  # want 9
    try:
        with psycopg.connect(dsn) as conn:
            conn.execute("DELETE FROM api_keys WHERE expired")  # want 4
    finally:
        gate.release()  # want 10
