"""Pulls stock levels of a warehouse; one puller a warehouse."""
import os
import uuid
from contextlib import asynccontextmanager

import redis.asyncio as aioredis

SYNC_TTL = int(os.environ.get("STOCK_SYNC_TTL", "45"))


class WarehouseGate:
    prefix = "gate:warehouse:"

    def __init__(self, url: str):
        self._conn = aioredis.from_url(url)

    async def enter(self, warehouse: str) -> bool:
        got = await self._conn.set(self.prefix + warehouse + ":lock", uuid.uuid4().hex, nx=True, ex=SYNC_TTL)
        return bool(got)

    async def leave(self, warehouse: str) -> None:
        await self._conn.delete(self.prefix + warehouse + ":lock")  # want 1


@asynccontextmanager
async def sole_puller(gate: WarehouseGate, warehouse: str):
    if not await gate.enter(warehouse):
        raise RuntimeError("already pulling")
    try:
        yield
    finally:
        await gate.leave(warehouse)
