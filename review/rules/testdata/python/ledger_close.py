import redis
from pottery import Redlock

from app.db import session
from app.models import Period

masters = {redis.Redis(host=h) for h in ("r1", "r2", "r3")}


def close_period(period_id):
    gate = Redlock(key="close-period", masters=masters, auto_release_time=20)  # want 14
    with gate:
        period = session.get(Period, period_id)
        period.closed = True
        session.commit()  # want 4
