import time
import uuid


class Turnstile:
    """Lets one worker at a time through, by a row of its own."""

    def __init__(self, db, gate):
        self.db = db
        self.gate = gate
        self.tag = uuid.uuid4().hex

    def push(self, seconds=90):
        t = time.time()
        n = self.db.execute(
            "UPDATE turnstile SET passenger = ?, closes = ? WHERE gate = ? AND closes < ?",
            (self.tag, t + seconds, self.gate, t),  # want 6
        ).rowcount
        return n > 0

    def leave(self):
        return self.db.execute(
            "UPDATE turnstile SET closes = 0 WHERE gate = ? AND passenger = ?", (self.gate, self.tag)
        ).rowcount == 1
