import threading
import uuid
import redis
import filelock
from contextlib import contextmanager

LUA = """
if redis.call("GET", KEYS[1]) == ARGV[1] then
    return redis.call("DEL", KEYS[1])
end
return 0
"""


class Holder:
    def __init__(self, client: redis.Redis, name: str):
        self.client = client
        self.name = f"hold/{name}"
        self.id = uuid.uuid4().hex
        self._drop = client.register_script(LUA)

    def __enter__(self):
        if not self.client.set(self.name, self.id, nx=True, px=30_000):
            raise BlockingIOError(self.name)
        return self

    def __exit__(self, *exc):
        if not self._drop(keys=[self.name], args=[self.id]):
            raise RuntimeError("hold was lost")


_guard = threading.RLock()


def bump(table, key):
    with _guard:
        table[key] = table.get(key, 0) + 1


def on_disk(path, row, conn):
    with filelock.FileLock(path + ".lock"):
        conn.execute("INSERT INTO log (line) VALUES (%s)", (row,))


def seen_before(r, msg_id):
    return not r.set(f"msg:{msg_id}", 1, nx=True, ex=86400)


def invalidate(r, user_id):
    r.delete(f"profile:{user_id}")
    r.delete(f"profile:{user_id}:lockscreen")


@contextmanager
def transaction(conn):
    cur = conn.cursor()
    cur.execute("BEGIN")
    cur.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", ("billing",))
    yield cur
    conn.commit()


def first_in_line(conn):
    row = conn.execute("SELECT id FROM jobs WHERE state = 'new' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1").fetchone()
    if row:
        conn.execute("UPDATE jobs SET state = 'running' WHERE id = %s", (row[0],))
    return row
