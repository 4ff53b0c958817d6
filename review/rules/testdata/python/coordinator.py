import time

import psycopg2

from app.settings import DSN


class Coordinator:
    LOCK_ID = 4711

    def __init__(self):
        self.conn = psycopg2.connect(DSN)
        self.leader = False

    def try_lead(self):
        with self.conn.cursor() as cur:
            cur.execute("SELECT pg_try_advisory_lock(%s)", (self.LOCK_ID,))
            self.leader = cur.fetchone()[0]

    def loop(self):
        other = psycopg2.connect(DSN)
        while True:
            if not self.leader:
                self.try_lead()
            if self.leader:
                with other.cursor() as cur:
                    cur.execute("UPDATE shards SET assigned_to = %s WHERE assigned_to IS NULL", ("me",))  # want 11
                other.commit()
            time.sleep(5)
