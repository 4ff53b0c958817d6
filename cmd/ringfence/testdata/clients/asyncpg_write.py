# Executes the statement in its argument through asyncpg, and prints its version.
import asyncio
import os
import sys

import asyncpg


async def write():
    settings = {"ringfence.fence": os.environ["RINGFENCE_FENCE"]} if "INSTEAD" in os.environ else None
    connection = await asyncpg.connect(ssl=False, server_settings=settings)
    await connection.execute(sys.argv[1])
    await connection.close()


asyncio.run(write())
print(asyncpg.__version__)
