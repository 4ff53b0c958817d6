import datetime as dt

from peewee import CharField, DateTimeField, Model, SqliteDatabase, fn

db = SqliteDatabase("x.db")


class Ferry(Model):
    name = CharField(primary_key=True)
    skipper = CharField(null=True)
    docks = DateTimeField(null=True)

    class Meta:
        database = db


def board(name, me):
    now = dt.datetime.utcnow()  # want 6
    q = (Ferry.update(skipper=me, docks=now + dt.timedelta(minutes=2))  # want 6
         .where((Ferry.name == name) & ((Ferry.skipper.is_null()) | (Ferry.docks < now))))
    return q.execute() == 1


def leave(name):
    Ferry.update(skipper=None).where(Ferry.name == name).execute()  # want 1
