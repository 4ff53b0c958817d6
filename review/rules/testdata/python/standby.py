import threading

from kazoo.client import KazooClient
from kazoo.exceptions import NodeExistsError


class Standby:
    def __init__(self, zk: KazooClient):
        self.zk = zk
        self.first = threading.Event()

    def stand(self):
        while True:
            try:
                self.zk.create("/pumps/first", b"", ephemeral=True)
                self.first.set()
            except NodeExistsError:
                self.first.clear()
            threading.Event().wait(2)


class Pumps:
    def __init__(self, standby, db):
        self.standby = standby
        self.db = db

    def drain(self, pump):
        if self.standby.first.is_set():
            self.db.execute("UPDATE pumps SET open = true WHERE id = %s", (pump,))  # want 11
