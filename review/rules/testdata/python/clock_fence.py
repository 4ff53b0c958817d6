import time

import psycopg
from redis import Redis

CAS = "UPDATE menus SET body = %(body)s, rev = %(rev)s WHERE id = %(id)s AND rev < %(rev)s"


class Writer:
    def __init__(self, r: Redis, dsn: str):
        self.r = r
        self.dsn = dsn
        self.rev = int(time.time() * 1000)  # want 5

    def write(self, id, body):
        with psycopg.connect(self.dsn) as c:
            return c.execute(CAS, {"id": id, "body": body, "rev": self.rev}).rowcount == 1
