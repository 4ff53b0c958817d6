import itertools
import time
from sqlalchemy import update
from .tables import volumes

_gen = itertools.count(1)


def attach(conn, volume_id, node):
    generation = next(_gen)  # want 5
    conn.execute(
        update(volumes)
        .where(volumes.c.id == volume_id, volumes.c.fencing_token < generation)
        .values(node=node, fencing_token=generation)
    )
