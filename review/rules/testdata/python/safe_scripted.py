import asyncio
import secrets

import asyncpg
import redis.asyncio as redis

TAKE = """
if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
    return redis.call('incr', KEYS[2])
end
return false
"""
GIVE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end"


class LostLease(Exception):
    pass


class Lease:
    def __init__(self, client: redis.Redis, name: str, seconds: int = 60):
        self._take, self._give = client.register_script(TAKE), client.register_script(GIVE)
        self._name, self._seconds, self._owner = name, seconds, secrets.token_hex(16)
        self.fence = None

    async def __aenter__(self):
        self.fence = await self._take(keys=[self._name, self._name + ":fence"], args=[self._owner, self._seconds * 1000])
        if self.fence is None:
            raise LostLease(self._name)
        return self

    async def __aexit__(self, *exc):
        if not await self._give(keys=[self._name], args=[self._owner]):
            raise LostLease(self._name)


async def rollup(client, pool: asyncpg.Pool, day):
    async with Lease(client, f"rollup:{day}") as lease:
        async with asyncio.timeout(45):
            done = await pool.execute(
                "UPDATE rollups SET total = $1, fence = $2 WHERE day = $3 AND fence <= $2", 1, lease.fence, day
            )
            if done == "UPDATE 0":
                raise LostLease(day)
