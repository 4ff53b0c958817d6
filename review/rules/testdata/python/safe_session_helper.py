import pymysql

class Migrator:
    def __init__(self, host):
        self.conn = pymysql.connect(host=host, autocommit=True)

    def one(self, sql, args=()):
        with self.conn.cursor() as cur:
            cur.execute(sql, args)
            return cur.fetchone()[0]

    def migrate(self, changes):
        if self.one("SELECT GET_LOCK(%s, 20)", ("schema",)) != 1:
            raise RuntimeError("busy")
        try:
            for name in changes:
                with self.conn.cursor() as cur:
                    cur.execute("INSERT INTO schema_changes (name) VALUES (%s)", (name,))
        finally:
            if self.one("SELECT RELEASE_LOCK(%s)", ("schema",)) != 1:
                raise RuntimeError("lost")
