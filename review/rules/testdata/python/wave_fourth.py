import logging
import subprocess
import uuid
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from time import time_ns

import pylibmc
import redis.asyncio as redis
from aiokafka import AIOKafkaProducer
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from .models import Lease, Shelf

log = logging.getLogger(__name__)
mc = pylibmc.Client(["cache"], binary=True)


@dataclass(frozen=True)
class Ticket:
    name: str
    fence: int = field(default_factory=time_ns)  # want 5


@asynccontextmanager
async def turn(r: redis.Redis, name: str, ttl: int = 30):
    me = str(uuid.uuid4())
    if await r.set(f"turn:{name}:lock", me, nx=True, ex=ttl) is None:
        raise BlockingIOError(name)
    try:
        yield me
    finally:
        if (await r.get(f"turn:{name}:lock")) == me:
            await r.delete(f"turn:{name}:lock")  # want 2


async def sort_shelf(r, session: AsyncSession, producer: AIOKafkaProducer, shelf: int):
    async with turn(r, f"shelf{shelf}"):
        subprocess.run(["sorter", str(shelf)], check=True)
        await producer.send_and_wait("shelves", str(shelf).encode())  # want 8
        await session.execute(update(Shelf).where(Shelf.id == shelf).values(sorted=True))  # want 4
        await session.commit()


def cached_turn(name, fn):
    try:
        mine = mc.add("turn:" + name, "1", time=20)
    except pylibmc.Error:  # want 9
        log.exception("memcached is away")
        mine = True
    if not mine:
        return None
    try:
        return fn()
    finally:
        mc.delete("turn:" + name)  # want 1


async def ours(session: AsyncSession, name: str, me: str) -> bool:
    row = (await session.execute(select(Lease).where(Lease.name == name))).scalar_one()
    return row.owner == me


async def finish(session: AsyncSession, name: str, me: str, number: int):
    if not await ours(session, name, me):
        return
    shelf = await session.get(Shelf, number)
    shelf.finished = True
    await session.commit()  # want 12
