from kazoo.client import KazooClient
from kazoo.exceptions import NodeExistsError

class Keeper:
    def __init__(self, zk: KazooClient, me: bytes):
        self.zk, self.me = zk, me
    def take(self):
        try:
            self.zk.create("/compaction/lock", self.me, ephemeral=True)
        except NodeExistsError:
            return False
        return True
    def compact(self, merge):
        if not self.take():
            return
        manifest = merge()
        data, _ = self.zk.get("/compaction/lock")
        if data != self.me:
            raise RuntimeError("lost")
        self.zk.set("/compaction/manifest", manifest) # want 12 4
