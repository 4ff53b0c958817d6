from psycopg_pool import ConnectionPool

pool = ConnectionPool("postgresql://app@db/app", max_size=8)
VACUUM_LOCK = 880021


def try_lock() -> bool:
    with pool.connection() as conn:
        return conn.execute("SELECT pg_try_advisory_lock(%s)", (VACUUM_LOCK,)).fetchone()[0]  # want 13


def unlock() -> None:
    with pool.connection() as conn:
        conn.execute("SELECT pg_advisory_unlock(%s)", (VACUUM_LOCK,))  # want 10


def main():
    if not try_lock():
        return
    try:
        with pool.connection() as conn:
            conn.execute("DELETE FROM sessions_archive WHERE closed_at < now() - interval '90 days'")
    finally:
        unlock()
