import redis_lock
from redis import StrictRedis

conn = StrictRedis()


def send_digest(mailer, user):
    lock = redis_lock.Lock(conn, f"digest-{user.id}", expire=30)
    if lock.acquire(blocking=False):  # want 7
        mailer.send_mail("digest", user.email)  # want 8
        lock.release()
