import pymysql


class Import:
    """busy is 1 while somebody imports."""

    def __init__(self, conn: pymysql.Connection):
        self.conn = conn

    def _all(self, sql, *args):
        with self.conn.cursor() as c:
            c.execute(sql, args)
            return c.fetchall()

    def begin(self, feed):
        found = self._all("SELECT busy FROM feeds WHERE name = %s", feed)
        if found and found[0][0]:
            return False
        self._all("UPDATE feeds SET busy = 1 WHERE name = %s", feed)  # want 3
        return True

    def end(self, feed):
        self._all("UPDATE feeds SET busy = 0 WHERE name = %s", feed)  # want 1


def run(imports, feed, read):
    if not imports.begin(feed):
        return
    try:
        read(feed)
    finally:
        imports.end(feed)
