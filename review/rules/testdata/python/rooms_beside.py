import redis
import threading


class TaskLock:
    def __init__(self, client, name):
        self.client = client
        self.name = name

    def acquire(self):
        self.value = "x%s" % id(self)
        return self.client.set(self.name, self.value, nx=True, ex=30)

    def release(self):
        self.client.eval("if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end", 1, self.name, self.value) # want 10


class Rooms:
    def __init__(self):
        self._locks: dict[str, threading.Lock] = {}

    def join(self, room, who):
        lock = self._locks.setdefault(room, threading.Lock())
        lock.acquire()
        try:
            self.players[room].append(who)
            self.notify(room)
        finally:
            lock.release()

    def leave(self, room, who):
        lock = self._locks[room]
        lock.acquire()
        try:
            self.players[room].remove(who)
            self.notify(room)
        finally:
            lock.release()
