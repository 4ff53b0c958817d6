import os
import uuid

import psycopg


def enter(conn, berth: str, me: str) -> bool:
    cur = conn.execute(
        "UPDATE berths SET boat = %s, stays = now() + interval '2 minutes' "
        "WHERE berth = %s AND (boat IS NULL OR stays < now())",
        (me, berth),
    )
    return cur.rowcount == 1


def go_out(conn, berth: str) -> None:
    conn.execute("UPDATE berths SET boat = NULL WHERE berth = %s", (berth,))  # want 1


def unload(conn, berth: str, crates: int) -> bool:
    me = uuid.uuid4().hex
    if not enter(conn, berth, me):
        return False
    try:
        conn.execute("UPDATE quay SET crates = crates + %s WHERE berth = %s", (crates, berth))  # want 4
    finally:
        go_out(conn, berth)
    return True
