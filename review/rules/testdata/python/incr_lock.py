import redis
import psycopg2

r = redis.Redis()
conn = psycopg2.connect("dbname=app")


def export():
    if r.incr("export:lock") != 1:
        return
    r.expire("export:lock", 300)  # want 3
    try:
        with conn.cursor() as cur:
            cur.execute("UPDATE exports SET done = true")  # want 4
        conn.commit()
    finally:
        r.delete("export:lock")  # want 1


def check_set():
    if r.exists("import:lock"):
        return
    r.set("import:lock", "1", ex=60)  # want 3
    with conn.cursor() as cur:
        cur.execute("UPDATE imports SET done = true")  # want 4
    r.delete("import:lock")  # want 1


def hashed(name):
    if not r.hsetnx("locks", name, "w"):  # want 3
        return
    try:
        with conn.cursor() as cur:
            cur.execute("UPDATE jobs SET done = true WHERE name = %s", (name,))  # want 4
    finally:
        r.hdel("locks", name)  # want 1
