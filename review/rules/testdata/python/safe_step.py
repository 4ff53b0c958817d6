import redis, uuid

class L:
    def __init__(self, r: redis.Redis, name):
        self.r, self.name, self.me = r, name, uuid.uuid4().hex
    def take(self):
        return self.r.set(self.name, self.me, nx=True, px=5000)
    def drop(self):
        def step(pipe):
            if pipe.get(self.name) == self.me:
                pipe.multi()
                pipe.delete(self.name)
        self.r.transaction(step, self.name)
