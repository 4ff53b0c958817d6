def save(conn, doc, body, grant):
    row = conn.execute("SELECT granted FROM docs WHERE id = %s", (doc,)).fetchone()
    if row["granted"] > grant:
        raise RuntimeError("stale")
    conn.execute("UPDATE docs SET body = %s, granted = %s WHERE id = %s", (body, grant, doc))  # want 15
