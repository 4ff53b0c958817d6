from datetime import datetime, timedelta, timezone

from sqlalchemy import or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from .models import Crane


async def take(s: AsyncSession, crane: int, me: str) -> bool:
    now = datetime.now(timezone.utc)  # want 6
    r = await s.execute(
        update(Crane)
        .where(Crane.id == crane, or_(Crane.driver.is_(None), Crane.shift_over < now))
        .values(driver=me, shift_over=now + timedelta(minutes=10))  # want 6
    )
    await s.commit()
    return r.rowcount == 1


async def give(s: AsyncSession, crane: int) -> None:
    await s.execute(update(Crane).where(Crane.id == crane).values(driver=None))  # want 1
    await s.commit()


async def lift(s: AsyncSession, crane: int, me: str, kilos: int) -> None:
    row = (await s.execute(select(Crane).where(Crane.id == crane))).scalar_one()
    if row.driver != me:
        return
    await s.execute(update(Crane).where(Crane.id == crane).values(kilos=kilos))  # want 12
    await s.commit()
