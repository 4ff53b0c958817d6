import asyncpg


async def save(pool: asyncpg.Pool, doc: str, body: str, fence: int):
    row = await pool.fetchrow("SELECT fence FROM docs WHERE id = $1", doc)
    if row["fence"] > fence:
        raise RuntimeError("stale")
    await pool.execute("UPDATE docs SET body = $1, fence = $2 WHERE id = $3", body, fence, doc)  # want 15
