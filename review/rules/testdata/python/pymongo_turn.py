from datetime import datetime, timedelta

from pymongo import MongoClient, ReturnDocument

db = MongoClient().aquarium
turns = db.turns
tanks = db.tanks


def begin(tank, keeper):
    now = datetime.utcnow()
    doc = turns.find_one_and_update(
        {"_id": tank, "over": {"$lt": now}},
        {"$set": {"keeper": keeper, "over": now + timedelta(seconds=45)}},  # want 6
        return_document=ReturnDocument.AFTER,
    )
    return doc is not None


def feed(tank, keeper, grams):
    if not begin(tank, keeper):
        return False
    if turns.find_one({"_id": tank})["keeper"] == keeper:
        tanks.update_one({"_id": tank}, {"$inc": {"grams": grams}})  # want 12 4
    turns.update_one({"_id": tank, "keeper": keeper}, {"$set": {"over": datetime.min}})
    return True
