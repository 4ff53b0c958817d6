import { redis } from './redis';
import { randomUUID } from 'node:crypto';

export async function lock(name: string, ms: number): Promise<string | null> {
  const owner = randomUUID();
  return (await redis.set(`lock:${name}`, owner, 'PX', ms, 'NX')) === 'OK' ? owner : null; // want 7
}

export async function unlock(name: string, owner: string): Promise<void> {
  if ((await redis.get(`lock:${name}`)) === owner) {
    await redis.del(`lock:${name}`); // want 2
  }
}
