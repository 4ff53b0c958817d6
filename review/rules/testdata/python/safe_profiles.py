from pymongo import MongoClient

db = MongoClient()["club"]
members = db["members"]


def rename(member, name):
    found = members.find_one({"_id": member})
    if found is None:
        return False
    members.replace_one({"_id": member}, {**found, "name": name}, upsert=True)
    return True


def forget(member):
    members.delete_one({"_id": member})


def visit(member, guests, tour):
    for guest in guests:
        rename(guest, member)
    try:
        tour(guests)
    finally:
        forget(guests[0])
