import psycopg


def take(conn, name, me):
    cur = conn.execute("UPDATE job_locks SET owner = %s, taken_at = now() WHERE name = %s AND owner IS NULL", (me, name)) # want 3
    return cur.rowcount == 1


def give(conn, name, me):
    cur = conn.execute("UPDATE job_locks SET owner = NULL WHERE name = %s AND owner = %s", (name, me))
    if cur.rowcount == 0:
        raise RuntimeError("lost")
