import asyncpg


class Nightly:
    def __init__(self, pool: asyncpg.Pool):
        self.pool = pool

    async def run(self, n: int, work):
        if not await self.pool.fetchval("SELECT pg_try_advisory_lock($1)", n):  # want 13
            return False
        try:
            await work()
        finally:
            ok = await self.pool.fetchval("SELECT pg_advisory_unlock($1)", n)
            if not ok:
                raise RuntimeError("not ours")
        return True
