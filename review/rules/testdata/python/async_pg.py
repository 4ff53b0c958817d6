import asyncio
import uuid
from datetime import datetime, timedelta, timezone

import asyncpg
import httpx


class JobLease:
    """A row that says who may run a job."""

    def __init__(self, pool: asyncpg.Pool, job: str):
        self.pool = pool
        self.job = job
        self.owner = uuid.uuid4()

    async def __aenter__(self):
        until = datetime.now(timezone.utc) + timedelta(minutes=1)  # want 6
        row = await self.pool.fetchrow(  # want 7
            """
            INSERT INTO job_leases (job, owner, expires_at) VALUES ($1, $2, $3)
            ON CONFLICT (job) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at
            WHERE job_leases.expires_at < now()
            RETURNING owner
            """,
            self.job, self.owner, until,
        )
        if row is None:
            raise RuntimeError("busy")
        return self

    async def __aexit__(self, *exc):
        await self.pool.execute("DELETE FROM job_leases WHERE job = $1", self.job)  # want 1

    async def still_ours(self) -> bool:
        return await self.pool.fetchval("SELECT owner FROM job_leases WHERE job = $1", self.job) == self.owner


async def run(pool, job):
    async with JobLease(pool, job) as lease:
        async with httpx.AsyncClient(timeout=None) as http:
            rows = (await http.get("https://source.example")).json()
        if not await lease.still_ours():
            return
        await pool.executemany("INSERT INTO facts (id, v) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET v = excluded.v", rows)  # want 4 12
