from datetime import datetime, timedelta

from pymongo import MongoClient
from pymongo.errors import DuplicateKeyError

locks = MongoClient().ops.locks


def take(name, me):
    now = datetime.utcnow()
    try:
        doc = locks.find_one_and_update(
            {"_id": name, "expires_at": {"$lt": now}},
            {"$set": {"owner": me, "expires_at": now + timedelta(seconds=30)}},  # want 6
            upsert=True,
        )
        return True
    except DuplicateKeyError:
        return False


def give(name):
    locks.delete_one({"_id": name})  # want 1
