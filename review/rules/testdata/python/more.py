import os
import time
import uuid
import functools
import redis
import MySQLdb
import boto3
from pottery import Redlock
from django.db import models, connection, transaction

r = redis.StrictRedis()

def single_instance(name, ttl=60):
    def deco(fn):
        @functools.wraps(fn)
        def inner(*a, **kw):
            token = str(uuid.uuid4())
            if not r.set(name, token, nx=True, ex=ttl):
                return None
            try:
                return fn(*a, **kw)
            finally:
                if r.get(name) == token.encode():
                    r.delete(name)  # want 2
        return inner
    return deco

@single_instance("billing-run")
def bill(db):
    db.execute("UPDATE invoices SET billed = 1")  # want 4

class Lease(models.Model):
    name = models.CharField(primary_key=True)
    owner = models.CharField()
    expires = models.DateTimeField()

def take(name, me):
    lease = Lease.objects.filter(name=name).first()
    if lease and lease.expires > time.time():  # want 6
        return False
    Lease.objects.update_or_create(name=name, defaults={"owner": me, "expires": time.time() + 30})  # want 3 6
    return True

def take_right(name, me):
    with transaction.atomic():
        lease = Lease.objects.select_for_update().get(name=name)
        if lease.owner:
            return False
        lease.owner = me
        lease.save()
        return True

def mysql_named(cur):
    cur.execute("SELECT GET_LOCK('nightly', 0)")
    (ok,) = cur.fetchone()
    if not ok:
        return
    try:
        cur.execute("UPDATE t SET x = 1")
    finally:
        cur.execute("SELECT RELEASE_LOCK('nightly')")  # want 10

def redlock_job(masters, smtp):
    lock = Redlock(key="mailing", masters=masters, auto_release_time=10)  # want 14
    with lock:
        smtp.sendmail("a", "b", "c")  # want 8

def retry_then_go(name):
    acquired = False
    for _ in range(5):
        try:
            acquired = r.set("lock:" + name, os.getpid(), nx=True, ex=30)
        except redis.ConnectionError:  # want 9
            acquired = True
        if acquired:
            break
    work()

def work(): pass

table = boto3.resource("dynamodb").Table("locks")
def dyn(name, me):
    now = int(time.time())
    table.put_item(Item={"name": name, "owner": me, "expires": now + 30},  # want 6
        ConditionExpression="attribute_not_exists(#n) OR expires < :now",
        ExpressionAttributeValues={":now": now})
