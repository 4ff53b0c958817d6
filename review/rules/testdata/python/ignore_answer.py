import uuid
from redis import Redis

DROP = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end"


class Spool:
    def __init__(self, r: Redis, name: str):
        self.r, self.name, self.id = r, name, uuid.uuid4().hex
        self._drop = r.register_script(DROP)

    def open(self):
        self.r.set(self.name, self.id, nx=True, ex=30)  # want 9

    def close(self):
        self._drop(keys=[self.name], args=[self.id])  # want 10


def spool(r, lines, sink):
    s = Spool(r, "spool:a")
    s.open()
    try:
        for l in lines:
            sink.execute("INSERT INTO lines VALUES (%s)", (l,))  # want 4
    finally:
        s.close()
