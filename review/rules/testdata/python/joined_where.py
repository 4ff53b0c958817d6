from sqlalchemy import update, and_, or_, func
from models import Lease


def take(session, name, me):
    done = session.execute(
        update(Lease)
        .where(and_(Lease.name == name, or_(Lease.holder.is_(None), Lease.valid_until < func.now())))
        .values(holder=me, valid_until=func.now() + func.make_interval(0, 0, 0, 0, 0, 0, 60))
    )
    return done.rowcount == 1


def give(session, name, me):
    done = session.execute(
        update(Lease).where(and_(Lease.name == name, Lease.holder == me)).values(holder=None)
    )
    if done.rowcount == 0:
        raise RuntimeError("lost")
