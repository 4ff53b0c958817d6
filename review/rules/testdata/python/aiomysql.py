import aiomysql


class Rota:
    def __init__(self, pool: aiomysql.Pool):
        self.pool = pool

    async def _one(self, sql, *args):
        async with self.pool.acquire() as conn, conn.cursor() as cur:
            await cur.execute(sql, args)
            return (await cur.fetchone())[0]

    async def alone(self, name, body):
        if await self._one("SELECT GET_LOCK(%s, 0)", name) != 1:  # want 13
            return None
        try:
            return await body()
        finally:
            await self._one("SELECT RELEASE_LOCK(%s)", name)  # want 10
