import fcntl
import os
import threading

_table = {}
_table_lock = threading.RLock()


class PidFile:
    def __init__(self, path):
        self.path, self.fd = path, None

    def acquire(self):
        self.fd = os.open(self.path, os.O_RDWR | os.O_CREAT)
        fcntl.flock(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def release(self):
        fcntl.flock(self.fd, fcntl.LOCK_UN)
        os.close(self.fd)


def remember(db, key, value):
    _table_lock.acquire()
    try:
        _table[key] = value
        db.execute("UPDATE settings SET value = ? WHERE key = ?", (value, key))
    finally:
        _table_lock.release()
