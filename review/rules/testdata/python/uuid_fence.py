import uuid

import psycopg


def write(conn: psycopg.Connection, name: str, value: str):
    fencing_token = uuid.uuid4().int >> 64  # want 5
    conn.execute(
        "UPDATE settings SET value = %s, fencing_token = %s WHERE name = %s AND fencing_token < %s",
        (value, fencing_token, name, fencing_token),
    )
