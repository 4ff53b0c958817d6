import time, uuid, threading, asyncio, contextlib
import redis
from celery import shared_task
from sqlalchemy import text, select, update
from redis.lock import Lock as RedisLock

RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end"
RENEW = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) else return 0 end"

class Lease:
    def __init__(self, r: redis.Redis, name: str, ttl_ms: int = 30000):
        self.r, self.name, self.ttl_ms, self.owner = r, name, ttl_ms, uuid.uuid4().hex
        self._release, self._renew = r.register_script(RELEASE), r.register_script(RENEW)
        self._stop = threading.Event()

    def acquire(self) -> bool:
        return bool(self.r.set(self.name, self.owner, nx=True, px=self.ttl_ms))

    def heartbeat(self):
        while not self._stop.wait(self.ttl_ms / 3000):
            if self._renew(keys=[self.name], args=[self.owner, self.ttl_ms]) != 1:
                return

    def release(self) -> bool:
        self._stop.set()
        return self._release(keys=[self.name], args=[self.owner]) == 1

@contextlib.contextmanager
def held(r, name):
    lease = Lease(r, name)
    if not lease.acquire():
        raise RuntimeError("busy")
    try:
        yield lease
    finally:
        if not lease.release():
            raise RuntimeError("lost")

def fenced(session, account, cents, fence):
    n = session.execute(text("UPDATE accounts SET cents = :c, fence = :f WHERE id = :a AND fence <= :f"),
                        {"c": cents, "f": fence, "a": account}).rowcount
    if n == 0:
        raise RuntimeError("stale")

def take_and_write(engine, r, account):
    with engine.begin() as conn:
        fence = conn.execute(text("INSERT INTO lease (name, owner, fence, expires_at) VALUES (:n, :o, 1, now() + interval '30 s') ON CONFLICT (name) DO UPDATE SET fence = lease.fence + 1, owner = excluded.owner, expires_at = excluded.expires_at WHERE lease.expires_at < now() RETURNING fence"), {"n": account, "o": uuid.uuid4().hex}).scalar()
    if fence is None:
        return False
    with engine.begin() as conn:
        done = conn.execute(text("UPDATE balance SET cents = cents + 1, fence = :f WHERE id = :a AND fence <= :f"), {"f": fence, "a": account})
        return done.rowcount == 1

class Cache:
    def __init__(self, r):
        self.r = r
    def get(self, k, build):
        lock_key = f"cache:{k}"
        v = self.r.get(lock_key)
        if v is None:
            v = build()
            self.r.set(lock_key, v, ex=60)
        return v
    def drop(self, k):
        if self.r.exists(f"cache:{k}"):
            self.r.delete(f"cache:{k}")

@shared_task
def webhook(r, event_id, handler):
    if not r.set(f"webhook:{event_id}", "1", nx=True, ex=3600):
        return
    try:
        handler(event_id)
    except Exception:
        r.delete(f"webhook:{event_id}")
        raise

def otp(r, phone):
    if not r.set(f"otp:{phone}", "123", nx=True, ex=300):
        raise ValueError("wait")

async def sem(http, urls):
    s = asyncio.Semaphore(5)
    async with s:
        return [await http.post(u) for u in urls]

def pg(conn):
    cur = conn.cursor()
    cur.execute("SELECT pg_try_advisory_lock(1)")
    if not cur.fetchone()[0]:
        return
    try:
        cur.execute("UPDATE x SET a = 1")
    finally:
        cur.execute("SELECT pg_advisory_unlock(1)")
        if not cur.fetchone()[0]:
            raise RuntimeError

def unlock_user(db, user):
    db.execute("UPDATE users SET locked = false, locked_until = NULL WHERE id = %s", (user,))
    if time.time() > user.token_expires_at:
        user.refresh()
