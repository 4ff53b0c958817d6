import uuid

import requests
from redis import Redis

FREE = """
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
"""


class Exclusively:
    topic = None

    def __init__(self, r: Redis):
        self.r = r

    def start(self):
        mine = str(uuid.uuid4())
        if not self.r.set(f"job:{self.topic}", mine, nx=True, px=30_000):
            return False
        try:
            self.work()
        finally:
            if not self.r.eval(FREE, 1, f"job:{self.topic}", mine):
                raise RuntimeError("lost it")
        return True

    def work(self):
        raise NotImplementedError


class Reminders(Exclusively):
    topic = "reminders"

    def work(self):
        requests.post("https://sms.example/send", json={"to": "all"}, timeout=5)  # want 8
