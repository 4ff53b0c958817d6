import asyncio
import contextlib
import os
import time

import redis.asyncio as redis


class Bench:
    def __init__(self, url):
        self.r = redis.from_url(url)

    @contextlib.asynccontextmanager
    async def seat(self, name, ms=5000):
        token = f"{os.getpid()}"
        while not await self.r.set(name, token, px=ms, nx=True):
            await asyncio.sleep(0.1)
        try:
            yield token
        finally:
            await self.r.delete(name)  # want 1


async def settle(bench, http, account):
    async with bench.seat(f"settle/{account}"):
        async with http.post(f"https://bank.example/settle/{account}") as r:  # want 8
            r.raise_for_status()
