from functools import wraps

import requests
from pottery import Redlock
from redis import Redis

SITES = {Redis.from_url("redis://north"), Redis.from_url("redis://south"), Redis.from_url("redis://west")}


def in_turn(work):
    @wraps(work)
    def taken(self, parcel, **options):
        turn = Redlock(key=f"label-{parcel}", masters=SITES, auto_release_time=5)
        if not turn.acquire(timeout=1):  # want 7 14
            return None
        try:
            return work(self, parcel, **options)
        finally:
            turn.release()

    return taken


class Labels:
    def __init__(self, session: requests.Session):
        self.session = session

    @in_turn
    def order(self, parcel):
        reply = self.session.post("https://carrier.example.test/labels", json={"parcel": parcel}, timeout=20)  # want 8
        return reply.json()["label"]
