import Redlock from 'redlock';
import { prisma } from './db';

export async function rollup(redlock: Redlock, day: string, total: number) {
  const lock = await redlock.acquire([`rollup:${day}`], 8000); // want 14
  try {
    if (lock.expiration < Date.now()) {
      throw new Error('lost');
    }
    await prisma.rollup.upsert({ where: { day }, create: { day, total }, update: { total } }); // want 4 12
  } finally {
    await lock.release().catch(() => {}); // want 10
  }
}
