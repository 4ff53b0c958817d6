import itertools
import time
import uuid

import redis
import requests
from sqlalchemy import create_engine, text

engine = create_engine("postgresql://db/app")
r = redis.Redis(decode_responses=True)
counter = itertools.count(1)


def nanos(doc_id, body):
    with r.lock(f"doc:{doc_id}:lock", timeout=20):
        fence = time.time_ns()  # want 5
        with engine.begin() as c:
            c.execute(text("UPDATE docs SET body = :b, fence = :f WHERE id = :i AND fence < :f"), {"b": body, "f": fence, "i": doc_id})


def counted(doc_id, body):
    with r.lock(f"doc:{doc_id}:lock", timeout=20):
        epoch = next(counter)  # want 5
        with engine.begin() as c:
            c.execute(text("UPDATE docs SET body = :b, epoch = :e WHERE id = :i AND epoch < :e"), {"b": body, "e": epoch, "i": doc_id})


def uuids(doc_id, body):
    with r.lock(f"doc:{doc_id}:lock", timeout=20):
        token = uuid.uuid4().hex  # want 5
        with engine.begin() as c:
            c.execute(text("UPDATE docs SET body = :b, fence = :f WHERE id = :i AND fence <= :f"), {"b": body, "f": token, "i": doc_id})


def beside(doc_id, body):
    if not r.set(f"doc:{doc_id}:lock", "w1", nx=True, ex=20):
        return
    fence = r.incr("doc:fence")
    with engine.connect() as c:
        seen = c.execute(text("SELECT fence FROM docs WHERE id = :i"), {"i": doc_id}).scalar_one()
        if fence < seen:
            return
        c.execute(text("UPDATE docs SET body = :b, fence = :f WHERE id = :i"), {"b": body, "f": fence, "i": doc_id})  # want 4 15
        c.commit()
