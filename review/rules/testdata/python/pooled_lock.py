import asyncpg

pool: asyncpg.Pool


async def with_lock(number: int, work):
    got = await pool.fetchval("SELECT pg_try_advisory_lock($1)", number)  # want 13
    if not got:
        return False
    try:
        await work()
    finally:
        await pool.execute("SELECT pg_advisory_unlock($1)", number)  # want 10
    return True
