import psycopg2

class Job:
    def __init__(self, lock_dsn, dsn):
        self.guard = psycopg2.connect(lock_dsn)
        self.conn = psycopg2.connect(dsn)

    def run(self, n):
        with self.guard.cursor() as cur:
            cur.execute("SELECT pg_try_advisory_lock(7)")
            if not cur.fetchone()[0]:
                return
        try:
            with self.conn.cursor() as c:
                c.execute("UPDATE totals SET n = %s", (n,)) # want 4
        finally:
            with self.guard.cursor() as cur:
                cur.execute("SELECT pg_advisory_unlock(7)")
                if not cur.fetchone()[0]:
                    raise RuntimeError
