import redis
import requests


class Kiln:
    """The key of a kiln is made by a helper that is told which one."""

    cooling = 15

    def __init__(self, client: redis.Redis):
        self.client = client

    def key_of(self, kiln):
        return self.client.lock(f"kiln:{kiln}", timeout=self.cooling)

    def fire(self, kiln, degrees):
        key = self.key_of(kiln)
        key.acquire(blocking_timeout=2)  # want 7 9
        try:
            requests.post(f"http://kilns/{kiln}", json={"to": degrees}, timeout=90)  # want 8
        finally:
            key.release()

    def empty(self, kiln, shelves):
        with self.key_of(kiln):  # want 7
            requests.delete(f"http://kilns/{kiln}/{shelves}", timeout=30)
