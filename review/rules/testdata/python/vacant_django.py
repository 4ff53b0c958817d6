from django.db import models
from django.utils import timezone


class JobLock(models.Model):
    name = models.CharField(primary_key=True)
    holder = models.CharField(null=True)


def take(name, me):
    return JobLock.objects.filter(name=name, holder__isnull=True).update(holder=me) == 1 # want 3


def give(name, me):
    if JobLock.objects.filter(name=name, holder=me).update(holder=None) == 0:
        raise RuntimeError("lost")
