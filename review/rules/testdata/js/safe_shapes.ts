import Redis from 'ioredis';
import { Pool } from 'pg';
import { Mutex } from 'async-mutex';
import { S3Client, PutObjectCommand } from '@aws-sdk/client-s3';
import { PrismaClient } from '@prisma/client';
const redis = new Redis(); const pool = new Pool(); const s3 = new S3Client({}); const prisma = new PrismaClient(); const mutex = new Mutex();
const RELEASE = ["if redis.call('get', KEYS[1]) == ARGV[1] then", "return redis.call('del', KEYS[1])", 'end', 'return 0'].join('\n');

export async function tryLock(key: string, owner: string, ms: number): Promise<boolean> {
  return (await redis.set(key, owner, 'PX', ms, 'NX')) === 'OK';
}
export async function unlock(key: string, owner: string): Promise<boolean> {
  return (await redis.eval(RELEASE, 1, key, owner)) === 1;
}
export async function delex(key: string, owner: string): Promise<boolean> {
  return (await redis.call('DELEX', key, 'IFEQ', owner)) === 1;
}
export async function inTx(id: number, cents: number): Promise<void> {
  const c = await pool.connect();
  try {
    await c.query('BEGIN');
    const { rows } = await c.query('SELECT fence FROM accounts WHERE id = $1 FOR UPDATE', [id]);
    if (rows[0].fence > cents) throw new Error('stale');
    await c.query('SELECT pg_advisory_xact_lock($1)', [id]);
    await c.query('UPDATE accounts SET cents = $2 WHERE id = $1', [id, cents]);
    await c.query('COMMIT');
  } finally { c.release(); }
}
export async function once(id: string): Promise<boolean> {
  const created = await prisma.event.createMany({ data: [{ id }], skipDuplicates: true });
  return created.count === 1;
}
export async function rate(ip: string): Promise<boolean> {
  const n = await redis.incr(`rate:${ip}`);
  if (n === 1) await redis.expire(`rate:${ip}`, 60);
  return n < 100;
}
export async function local(): Promise<void> {
  await mutex.runExclusive(async () => { await fetch('https://x.invalid', { method: 'POST' }); });
}
export async function put(body: string, etag: string): Promise<void> {
  await s3.send(new PutObjectCommand({ Bucket: 'b', Key: 'lock-state.json', Body: body, IfMatch: etag }));
}
export class Session {
  constructor(private token: string, private expiresAt: number) {}
  get valid(): boolean { return this.expiresAt > Date.now(); }
  lock(): void { this.token = ''; }
  unlock(): void { this.expiresAt = Date.now() + 1000; }
}
export async function optimistic(id: number, version: number): Promise<void> {
  const n = await prisma.doc.updateMany({ where: { id, version }, data: { version: version + 1 } });
  if (n.count === 0) throw new Error('conflict');
}
