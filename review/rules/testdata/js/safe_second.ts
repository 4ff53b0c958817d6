import Redis from 'ioredis';
import { EventEmitter } from 'events';
import { Pool } from 'pg';
import mongoose from 'mongoose';

const redis = new Redis();
const pool = new Pool();
const bus = new EventEmitter();
const Session = mongoose.model('Session', new mongoose.Schema({ user: String, expiresAt: Date }));

bus.on('elected', async (mayor: string) => {
  await pool.query('UPDATE towns SET mayor = $1', [mayor]);
});

export async function once(id: string, fn: () => Promise<void>): Promise<void> {
  const fresh = await redis.set(`webhook:${id}`, '1', 'EX', 86400, 'NX');
  if (!fresh) return;
  try {
    await fn();
  } catch (e) {
    await redis.del(`webhook:${id}`);
    throw e;
  }
}

export async function touch(id: string): Promise<void> {
  const s = await Session.findById(id);
  if (!s || s.expiresAt.getTime() < Date.now()) throw new Error('expired');
  s.expiresAt = new Date(Date.now() + 3600_000);
  await s.save();
}

export async function replace(id: string): Promise<void> {
  await redis.multi().set(`page:${id}`, 'x').expire(`page:${id}`, 60).exec();
  const had = await redis.getset(`page:${id}`, 'y');
  if (had === 'x') await redis.del(`page:${id}`);
}

export async function paged(ids: string[]): Promise<void> {
  for (const id of ids) {
    const { rows } = await pool.query('SELECT version FROM docs WHERE id = $1', [id]);
    await pool.query('UPDATE docs SET seen = true WHERE id = $1 AND version = $2', [id, rows[0].version]);
  }
}

export class Throttle {
  private until = 0;
  ready(): boolean {
    return this.until < Date.now();
  }
  async hit(): Promise<void> {
    this.until = Date.now() + 1000;
    await redis.incr('hits');
  }
}
