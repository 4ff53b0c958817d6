import time

from kazoo.client import KazooClient
from kazoo.exceptions import NodeExistsError


class Boss:
    def __init__(self, zk: KazooClient, db):
        self.zk = zk
        self.db = db
        self.boss = False

    def stand(self):
        try:
            self.zk.create("/batch/boss", b"me", ephemeral=True, makepath=True)
            self.boss = True
        except NodeExistsError:
            self.boss = False

    def watch(self):
        while True:
            self.stand()
            time.sleep(1)

    def tick(self):
        if self.boss:
            self.db.execute("UPDATE batches SET closed = true WHERE due < now()")  # want 11
