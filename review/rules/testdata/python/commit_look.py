import redis
from sqlalchemy.orm import Session
from models import Account

r = redis.Redis()


def rename(session: Session, id, name):
    lock = r.lock(f"account-{id}", timeout=30)
    if not lock.acquire(blocking=False):
        return
    try:
        account = session.get(Account, id)
        account.name = name
        if not lock.owned():
            session.rollback()
            return
        session.commit() # want 4 12
    finally:
        lock.release()


def safe(session: Session, id, name, fence):
    lock = r.lock(f"account-{id}", timeout=30)
    if not lock.acquire(blocking=False):
        return
    try:
        session.execute(text("UPDATE accounts SET name = :n, fence = :f WHERE id = :i AND fence <= :f"), {"n": name, "f": fence, "i": id})
        if not lock.owned():
            session.rollback()
            return
        session.commit()
    finally:
        lock.release()
