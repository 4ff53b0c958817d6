from datetime import datetime, timedelta

from pymongo import MongoClient
from pymongo.errors import DuplicateKeyError

locks = MongoClient().jobs.locks


def acquire(name, owner, seconds=60):
    try:
        locks.insert_one({"_id": name, "owner": owner, "expires_at": datetime.utcnow() + timedelta(seconds=seconds)})  # want 6
        return True
    except DuplicateKeyError:
        return False


def release(name):
    locks.delete_one({"_id": name})  # want 1
