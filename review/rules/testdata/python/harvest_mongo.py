from pymongo import MongoClient


class Taken(Exception):
    pass


class Field:
    """A document says that a field is being harvested, for as long as it is there."""

    def __init__(self, client: MongoClient, field: str):
        self.farm = client["farm"]
        self.harvests = self.farm["harvests"]
        self.field = field

    def enter(self):
        if self.harvests.find_one({"_id": self.field}):
            raise Taken(self.field)
        self.harvests.replace_one({"_id": self.field}, {"_id": self.field}, upsert=True)  # want 3

    def leave(self):
        self.harvests.delete_one({"_id": self.field})  # want 1


def harvest(client, name, tons):
    field = Field(client, name)
    field.enter()
    try:
        client["farm"]["silos"].update_one({"_id": name}, {"$inc": {"tons": tons}})  # want 4
    finally:
        field.leave()
