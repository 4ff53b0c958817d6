import time
from django.db import models


class ImportSlot(models.Model):
    name = models.CharField(primary_key=True)
    holder = models.CharField()
    beat = models.FloatField()


def occupy(name, me):
    slot = ImportSlot.objects.filter(name=name).first()
    if slot and time.time() - slot.beat < 300: # want 6
        raise RuntimeError("busy")
    ImportSlot.objects.update_or_create(name=name, defaults={"holder": me, "beat": time.time()}) # want 3 6


def leave(name, me):
    if ImportSlot.objects.filter(name=name, holder=me).delete()[0] == 0:
        raise RuntimeError("taken over")
