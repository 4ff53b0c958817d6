import psycopg


class Named:
    def __init__(self, conn, n):
        self.conn, self.n = conn, n

    def __enter__(self):
        self.conn.execute("SELECT pg_try_advisory_lock(%s)", (self.n,)) # want 9
        return self

    def __exit__(self, *exc):
        got = self.conn.execute("SELECT pg_advisory_unlock(%s)", (self.n,)).fetchone()[0]
        if not got:
            raise RuntimeError("lost")


def work(conn):
    with Named(conn, 4):
        print(conn.execute("SELECT 1"))
        rebuild(conn)
