import datetime as dt

import peewee as pw

db = pw.PostgresqlDatabase("crm")


class Lease(pw.Model):
    name = pw.CharField(primary_key=True)
    holder = pw.CharField(null=True)
    valid_until = pw.DateTimeField()


def give(name, holder):
    n = Lease.update(holder=None).where((Lease.name == name) & (Lease.holder == holder)).execute()
    if n == 0:
        raise RuntimeError("lost")


def take(name, holder):
    n = (
        Lease.update(holder=holder, valid_until=pw.SQL("now() + interval '60 seconds'"))
        .where((Lease.name == name) & (Lease.valid_until < pw.SQL("now()")))
        .execute()
    )
    return n == 1
