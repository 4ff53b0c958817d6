import datetime as dt

from motor.motor_asyncio import AsyncIOMotorClient
from pymongo.errors import DuplicateKeyError

db = AsyncIOMotorClient()["ops"]


async def acquire(name: str, who: str, seconds: int) -> bool:
    now = dt.datetime.now(dt.timezone.utc)
    try:
        await db.locks.update_one(
            {"_id": name, "expires": {"$lt": now}},
            {"$set": {"owner": who, "expires": now + dt.timedelta(seconds=seconds)}},  # want 6
            upsert=True,
        )
        return True
    except DuplicateKeyError:
        return False


async def release(name: str) -> None:
    await db.locks.delete_one({"_id": name})  # want 1
