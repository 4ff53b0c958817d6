import Redis from 'ioredis';
import { PrismaClient } from '@prisma/client';

const redis = new Redis();
const prisma = new PrismaClient();

export class Game {
  leader?: { id: string };

  async promote(id: string) {
    if (!this.leader) return;
    if (this.leader.id !== id) return;
    await prisma.player.update({ where: { id }, data: { rank: { increment: 1 } } });
  }
}

export async function subscribe(user: string, until: Date) {
  await prisma.subscription.update({ where: { user }, data: { owner: user, until } });
}

export async function unsubscribe(user: string) {
  await prisma.subscription.delete({ where: { user } });
}

export async function median(keys: string[]) {
  const all = await Promise.all(keys.map((k) => redis.get(k)));
  return all[Math.floor(all.length / 2)];
}

export async function nap(signal: AbortSignal) {
  const res = await fetch('https://slow.example', { signal });
  return res.json();
}
