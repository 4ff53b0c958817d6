def enable(db, feature):
    row = db.execute("SELECT enabled FROM features WHERE name = %s", (feature,)).fetchone()
    if row and row[0]:
        return False
    db.execute("UPDATE features SET enabled = 1 WHERE name = %s", (feature,))
    return True


def disable(db, feature):
    db.execute("UPDATE features SET enabled = 0 WHERE name = %s", (feature,))
