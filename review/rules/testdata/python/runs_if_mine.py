import redis, uuid

class L:
    def __init__(self, r: redis.Redis, name):
        self.r, self.name, self.me = r, name, uuid.uuid4().hex
    def take(self):
        return self.r.set(self.name, self.me, nx=True, px=5000)
    def release(self):
        return self.if_mine(lambda: self.r.delete(self.name)) # want 2
    def if_mine(self, step):
        if self.r.get(self.name) != self.me:
            return False
        return step()
