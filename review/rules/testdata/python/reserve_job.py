# A queue whose rows are picked under SKIP LOCKED in one transaction with the work.
import psycopg


def next_parcel(pool):
    with pool.connection() as conn, conn.transaction():
        row = conn.execute(
            "SELECT id, address FROM parcels WHERE sent_at IS NULL ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED"
        ).fetchone()
        if row is None:
            return None
        conn.execute("UPDATE parcels SET sent_at = now() WHERE id = %s", (row[0],))
        return row
