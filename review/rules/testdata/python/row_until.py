"""Who may run the import: a row, by this machine's clock."""
from datetime import datetime, timedelta, timezone

import psycopg


def take(conn: psycopg.Connection, name: str, who: str) -> bool:
    deadline = datetime.now(timezone.utc) + timedelta(minutes=2)  # want 6
    with conn.cursor() as cur:
        cur.execute("SELECT locked_until FROM import_locks WHERE name = %s", (name,))
        row = cur.fetchone()
        if row and row[0] > datetime.now(timezone.utc):
            return False
        cur.execute(  # want 3
            "INSERT INTO import_locks (name, owner, locked_until) VALUES (%s, %s, %s) "
            "ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, locked_until = excluded.locked_until",
            (name, who, deadline),
        )
    conn.commit()
    return True


def give_back(conn: psycopg.Connection, name: str) -> None:
    conn.execute("UPDATE import_locks SET locked_until = now() WHERE name = %s", (name,))  # want 1
