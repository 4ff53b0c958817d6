import datetime as dt
import hmac
import time
import redis
from django.core.cache import cache, caches
from sqlalchemy import select, update, delete
from sqlalchemy.orm import Session
from .models import Invite, Booking, Ticket

r = redis.Redis()


class ApiKeys:
    """Keys of API users: an owner, and an end."""

    def issue(self, db: Session, owner: str) -> str:
        key = Invite(owner=owner, expires_at=dt.datetime.utcnow() + dt.timedelta(days=30))
        db.add(key)
        db.commit()
        return key.id

    def revoke(self, db: Session, key_id: str, owner: str) -> None:
        db.execute(delete(Invite).where(Invite.id == key_id, Invite.owner == owner))
        db.commit()

    def extend(self, db: Session, key_id: str) -> None:
        key = db.get(Invite, key_id)
        if key.expires_at < dt.datetime.utcnow():
            raise PermissionError("expired")
        key.expires_at = dt.datetime.utcnow() + dt.timedelta(days=30)
        db.commit()


def first_visit(visitor: str) -> bool:
    return bool(r.set(f"visit:{visitor}", 1, nx=True, ex=86400))


def seen_then_work(event_id: str, handle) -> None:
    key = f"event:{event_id}:processed"
    if not r.set(key, 1, nx=True, ex=3600):
        return
    try:
        handle(event_id)
    except Exception:
        r.delete(key)
        raise


def warm(key: str, build):
    shared = caches["pages"]
    hit = shared.get(key)
    if hit is None:
        hit = build()
        shared.add(key, hit, timeout=60)
    return hit


def forget(key: str) -> None:
    caches["pages"].delete(key)


def poll(job, deadline: float) -> bool:
    while not job.done():
        if time.time() > deadline:
            return False
        time.sleep(0.1)
    return True


def train(model, loader, epochs: int, best_epoch: int = 0):
    for epoch in range(epochs):
        loss = model.fit(loader)
        if epoch > best_epoch and loss < model.best:
            best_epoch = epoch
            model.save(f"epoch-{epoch}.bin")
    return best_epoch


def reserve_seat(db: Session, seat_id: int, user: int) -> bool:
    done = db.execute(
        update(Booking).where(Booking.seat == seat_id, Booking.user.is_(None)).values(user=user)
    )
    db.commit()
    return done.rowcount == 1


def newer(db: Session, ticket_id: int, version: int) -> None:
    t = db.execute(select(Ticket).where(Ticket.id == ticket_id).with_for_update()).scalar_one()
    if t.version > version:
        raise ValueError("somebody else has changed it")
    t.version = version + 1
    db.commit()
