import time


def publish(db, doc, body, turn=None):
    turn = turn or time.time_ns()  # want 5
    n = db.execute("UPDATE documents SET body = %s, turn = %s WHERE id = %s AND turn < %s", (body, turn, doc, turn)).rowcount
    if n == 0:
        raise RuntimeError("somebody newer has written")
