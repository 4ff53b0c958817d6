from contextlib import contextmanager

import psycopg


@contextmanager
def advisory(dsn: str, key: int):
    with psycopg.connect(dsn, autocommit=True) as conn:
        if not conn.execute("SELECT pg_try_advisory_lock(%s)", (key,)).fetchone()[0]:
            raise RuntimeError("held elsewhere")
        try:
            yield conn
        finally:
            if not conn.execute("SELECT pg_advisory_unlock(%s)", (key,)).fetchone()[0]:
                raise RuntimeError("was not held")
