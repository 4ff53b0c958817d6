"""Rows with owners and times, counters, files: none of them is a lock."""
import os
import subprocess
import uuid
from datetime import datetime, timedelta, timezone

import pymemcache
import redis
import requests
from django.db import models

r = redis.Redis()
mc = pymemcache.Client("cache")


class ApiKey(models.Model):
    owner = models.CharField(max_length=40)
    key = models.CharField(max_length=40)
    expires_at = models.DateTimeField()

    @classmethod
    def issue(cls, owner):
        return cls.objects.create(owner=owner, key=uuid.uuid4().hex, expires_at=datetime.now(timezone.utc) + timedelta(days=90))

    def prolong(self):
        self.expires_at = datetime.now(timezone.utc) + timedelta(days=90)
        self.save()

    @classmethod
    def revoke(cls, key):
        cls.objects.filter(key=key).delete()

    @property
    def valid(self):
        return self.expires_at > datetime.now(timezone.utc)


def remember(name, value):
    mc.set("page:" + name, value, expire=60)
    mc.delete("list:pages")


def first_visit(user):
    n = r.incr(f"visits:{user}")
    if n == 1:
        r.expire(f"visits:{user}", 86400)
    return n == 1


def build(names):
    for n in names:
        subprocess.run(["make", n], check=True)
        requests.get("https://hooks.example/" + n)


def session(user):
    sid = os.urandom(8).hex()
    r.set(f"session:{sid}", user, nx=True, ex=3600)
    return sid


def counted(key):
    if r.incr(key) != 1:
        return False
    r.delete("cache:" + key)
    return True
