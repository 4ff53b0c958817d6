import threading
import time

import redis
from kubernetes.leaderelection import leaderelection
from kubernetes.leaderelection.resourcelock.configmaplock import ConfigMapLock
from kubernetes.leaderelection import electionconfig
from sqlalchemy import create_engine, text

engine = create_engine("postgresql://db/app")
r = redis.Redis(decode_responses=True)
ME = "node-1"


class Elector(threading.Thread):
    def __init__(self):
        super().__init__(daemon=True)
        self.leading = False

    def run(self):
        while True:
            if r.set("billing:leader", ME, nx=True, ex=15):
                self.leading = True
            elif r.get("billing:leader") == ME:
                r.expire("billing:leader", 15)
            else:
                self.leading = False
            time.sleep(5)


elector = Elector()


def bill():
    if not elector.leading:
        return
    with engine.begin() as c:
        c.execute(text("UPDATE invoices SET billed = true WHERE due"))  # want 11


def started():
    with engine.begin() as c:
        c.execute(text("UPDATE plans SET active = true"))  # want 11


config = electionconfig.Config(ConfigMapLock("lead", "default", ME), 17, 15, 5, onstarted_leading=started, onstopped_leading=None)
leaderelection.LeaderElection(config).run()
