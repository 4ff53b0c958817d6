from datetime import datetime, timedelta, timezone


def pick(db, worker):
    """Takes one task, or one whose worker was not heard of for long; it is finished on the same condition."""
    row = db.execute(
        "UPDATE tasks SET worker = %s, heard = now(), tries = tries + 1 WHERE id = (SELECT id FROM tasks "
        "WHERE done IS NULL AND (worker IS NULL OR heard < now() - interval '5 minutes') LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id, tries",
        (worker,),
    ).fetchone()
    return row


def finish(db, id, worker, tries, result):
    return db.execute(
        "UPDATE tasks SET done = now(), result = %s WHERE id = %s AND worker = %s AND tries = %s", (result, id, worker, tries)
    ).rowcount == 1


def remind_later(db, user):
    db.execute("UPDATE users SET remind_at = %s WHERE id = %s AND remind_at < %s",
               (datetime.now(timezone.utc) + timedelta(days=7), user, datetime.now(timezone.utc)))
