import threading

import redis


class Hints:
    """Whoever looks at a page leaves a hint; nobody asks whether one was there."""

    def __init__(self, client: redis.Redis):
        self.client = client
        self._table = threading.Lock()
        self._seen = {}

    def look(self, page, visitor):
        batch = self.client.pipeline()
        batch.incr(f"views:{page}")
        batch.set(f"reading:{page}:{visitor}", 1, nx=True, ex=9)
        batch.execute()
        self._table.acquire()
        self._seen[page] = visitor
        self._table.release()

    def leave(self, page, visitor):
        with self._table:
            self._seen.pop(page, None)
        self.client.delete(f"reading:{page}:{visitor}")
