import boto3
import consul
from django.db import models
from django.utils import timezone


class Chief:
    def __init__(self, me):
        self.me = me
        self.c = consul.Consul()
        self.s3 = boto3.client("s3")

    def stand(self):
        self.session = self.c.session.create(ttl=20)
        self.c.kv.put("plans/chief", self.me, acquire=self.session)  # want 9

    def serve(self, plan):
        self.stand()
        self.s3.put_object(Bucket="plans", Key="today", Body=plan)  # want 11

    def looked(self, plan):
        _, found = self.c.kv.get("plans/chief")
        if found["Session"] != self.session:
            return
        self.s3.put_object(Bucket="plans", Key="today", Body=plan)  # want 12


class Hoist(models.Model):
    number = models.CharField(primary_key=True)
    holder = models.CharField()
    until = models.DateTimeField()

    @classmethod
    def grab(cls, number, who):
        now = timezone.now()  # want 6
        free = models.Q(until__lt=now) | models.Q(holder="")
        return cls.objects.filter(free, number=number).update(holder=who, until=now + timezone.timedelta(minutes=1)) == 1  # want 6

    @classmethod
    def has(cls, number, who):
        return cls.objects.filter(number=number, holder=who, until__gt=timezone.now()).exists()  # want 6


def lift(number, who, load):
    if not Hoist.grab(number, who):
        return
    if Hoist.has(number, who):
        load.lifted = True
        load.save()  # want 4 12
