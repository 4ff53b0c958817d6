import uuid

import redis


class Mutex:
    """Needs Redis 8.4."""

    def __init__(self, conn: redis.Redis, name: str, ttl_ms: int):
        self.conn, self.name, self.ttl_ms = conn, name, ttl_ms
        self.me = uuid.uuid4().hex

    def try_lock(self) -> bool:
        return bool(self.conn.set(self.name, self.me, nx=True, px=self.ttl_ms))

    def unlock(self) -> bool:
        return self.conn.execute_command("DELEX", self.name, "IFEQ", self.me) == 1
