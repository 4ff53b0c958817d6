import { createClient } from 'redis';
import { Pool, PoolClient } from 'pg';
import { randomUUID } from 'node:crypto';
import AsyncLock from 'async-lock';
import pLimit from 'p-limit';

const redis = createClient({ scripts: {} });
const pool = new Pool();
const lock = new AsyncLock();
const limit = pLimit(1);
const IF_MINE = `
  if redis.call('get', KEYS[1]) == ARGV[1] then
    return redis.call('del', KEYS[1])
  else
    return 0
  end`;

export class Hold {
  private readonly token = randomUUID();
  constructor(private readonly name: string) {}
  async take(ms: number): Promise<boolean> {
    const r = await redis.set(this.name, this.token, { NX: true, PX: ms });
    return r !== null;
  }
  async give(): Promise<boolean> {
    const n = await redis.eval(IF_MINE, { keys: [this.name], arguments: [this.token] });
    return n === 1;
  }
}

export async function local(key: string, conn: Pool) {
  return lock.acquire(key, () => conn.query('UPDATE counters SET n = n + 1 WHERE id = $1', [key]));
}

export function serial(fn: () => Promise<void>) {
  return limit(fn);
}

export async function pinned(id: number): Promise<void> {
  const c: PoolClient = await pool.connect();
  try {
    await c.query('SELECT pg_advisory_lock($1)', [id]);
    await c.query('UPDATE jobs SET ran = now() WHERE id = $1', [id]);
    const { rows } = await c.query('SELECT pg_advisory_unlock($1) AS ok', [id]);
    if (!rows[0].ok) throw new Error('was not held');
  } finally {
    c.release();
  }
}

export async function limited(user: string): Promise<boolean> {
  const fresh = await redis.set(`mail-cooldown:${user}`, '1', { NX: true, EX: 60 });
  return fresh === 'OK';
}

export async function cached(id: string): Promise<unknown> {
  const hit = await redis.get(`article:${id}`);
  if (hit) return JSON.parse(hit);
  const fresh = await pool.query('SELECT * FROM articles WHERE id = $1', [id]);
  await redis.set(`article:${id}`, JSON.stringify(fresh.rows[0]), { EX: 60 });
  return fresh.rows[0];
}

export async function fenced(c: PoolClient, id: string, body: string, fence: number) {
  const r = await c.query('UPDATE docs SET body = $1, fence = $2 WHERE id = $3 AND fence <= $2', [body, fence, id]);
  if (r.rowcount === 0) throw new Error('superseded');
}
