import redis
from redis.lock import Lock

from bank.repo import accounts


def settle(r: redis.Redis, account_id, amount):
    lk = Lock(r, f"acct:{account_id}", timeout=15)
    if not lk.acquire(blocking_timeout=3):
        raise RuntimeError("busy")
    try:
        total = accounts.compute(account_id)
        if not lk.owned():
            return
        accounts.update_one({"_id": account_id}, {"$set": {"balance": total + amount}})  # want 4 12
    finally:
        if lk.owned():
            lk.release()
