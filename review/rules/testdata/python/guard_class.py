"""Nightly aggregation guarded by a Valkey key held in a config object."""
import os
import socket
import threading
from dataclasses import dataclass

import valkey
from sqlalchemy.orm import Session

from .models import DailyTotal


@dataclass(frozen=True)
class GuardConfig:
    prefix: str = "agg"
    hold_ms: int = 45_000


CFG = GuardConfig()


class AggregationGuard:
    def __init__(self, conn: valkey.Valkey, cfg: GuardConfig = CFG) -> None:
        self._conn = conn
        self._cfg = cfg
        self._ident = f"{socket.gethostname()}-{os.getpid()}"

    @property
    def _key(self) -> str:
        return f"{self._cfg.prefix}:guard"

    def enter(self) -> bool:
        return self._conn.set(self._key, self._ident, px=self._cfg.hold_ms, nx=True) is True

    def leave(self) -> None:
        holder = self._conn.get(self._key)
        if holder is None:
            return
        if holder.decode() != self._ident:
            return
        self._conn.delete(self._key)  # want 2


def run(session: Session, guard: AggregationGuard, day) -> None:
    if not guard.enter():
        return
    try:
        session.query(DailyTotal).filter_by(day=day).update({"closed": True})  # want 4
        session.commit()
    finally:
        guard.leave()
