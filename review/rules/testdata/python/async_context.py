import contextlib
import logging
import redis.asyncio as aioredis
import aiosmtplib
import secrets

log = logging.getLogger("digest")


@contextlib.asynccontextmanager
async def exclusive(conn: aioredis.Redis, resource: str, ttl: int = 20):
    mine = secrets.token_hex(8)
    if not await conn.set(resource, mine, nx=True, ex=ttl):
        raise TimeoutError(resource)
    try:
        yield
    finally:
        await conn.delete(resource)  # want 1


async def weekly_digest(conn, users, message):
    async with exclusive(conn, "digest:weekly"):
        for user in users:
            await aiosmtplib.send(message, recipients=[user.email])  # want 8
