import uuid
from dataclasses import dataclass, field


@dataclass
class Term:
    leader: str
    epoch: int = field(default_factory=lambda: uuid.uuid4().int >> 64)  # want 5


def commit(conn, term: Term, offset: int) -> bool:
    cur = conn.execute(
        "UPDATE cursors SET pos = %s, epoch = %s WHERE id = 1 AND epoch <= %s",
        (offset, term.epoch, term.epoch),
    )
    return cur.rowcount == 1
