import psycopg

def write(conn, name, me, total):
    with conn.transaction():
        row = conn.execute("SELECT holder FROM job_lock WHERE name = %s AND expires_at > now() FOR UPDATE", (name,)).fetchone()
        if row is None or row[0] != me:
            raise RuntimeError("lost")
        conn.execute("UPDATE totals SET total = %s WHERE name = %s", (total, name))
