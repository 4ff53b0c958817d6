"""Refreshes a tariff under a key that a dataclass holds."""
import os
import socket
from dataclasses import dataclass, field

import redis
import requests
import sqlalchemy as sa

pool = redis.ConnectionPool.from_url(os.environ["REDIS_URL"])
engine = sa.create_engine(os.environ["DB"])


@dataclass
class Gate:
    name: str
    seconds: int = 45
    owner: str = field(default_factory=lambda: f"{socket.gethostname()}:{os.getpid()}")

    @property
    def client(self) -> redis.Redis:
        return redis.Redis(connection_pool=pool)

    @property
    def key(self) -> str:
        return f"gate:{self.name}:lock"

    def enter(self) -> bool:
        return bool(self.client.set(self.key, self.owner, nx=True, ex=self.seconds))  # want 7

    def leave(self) -> None:
        held_by = self.client.get(self.key)
        if held_by is not None and held_by.decode() == self.owner:
            self.client.delete(self.key)  # want 2


def refresh(code: str) -> None:
    gate = Gate(f"tariff:{code}")
    if not gate.enter():
        return
    try:
        body = requests.get(f"https://tariffs.example/{code}").json()
        with engine.begin() as conn:
            conn.execute(sa.text("UPDATE tariffs SET price = :p WHERE code = :c"), {"p": body["price"], "c": code})  # want 4
    finally:
        gate.leave()
