import asyncio
import uuid

import redis.asyncio as aioredis

r = aioredis.from_url("redis://localhost")


async def seize(name: str) -> str | None:
    me = uuid.uuid4().hex
    try:
        taken = await r.set(f"shift:lock:{name}", me, px=20_000, nx=True)
    except aioredis.RedisError:  # want 9
        return me
    return me if taken else None


async def assert_mine(name: str, me: str) -> None:
    if await r.get(f"shift:lock:{name}") != me.encode():
        raise RuntimeError("lost " + name)


async def run(name: str, db) -> None:
    me = await seize(name)
    if me is None:
        return
    await asyncio.sleep(0)
    await assert_mine(name, me)
    await db.execute("INSERT INTO shifts (name, at) VALUES ($1, now())", name)  # want 4 12
