import Redis from 'ioredis';
import { randomBytes } from 'crypto';
import { pool } from './pg';

const nodes = ['a', 'b', 'c'].map((h) => new Redis({ host: h }));
const RELEASE = `if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end`;

async function lockAll(key: string, owner: string, ttl: number): Promise<boolean> {
  const votes = await Promise.all(nodes.map((n) => n.set(key, owner, 'PX', ttl, 'NX').catch(() => null))); // want 14
  return votes.filter((v) => v === 'OK').length >= Math.floor(nodes.length / 2) + 1;
}

export async function transfer(from: string, to: string, cents: number) {
  const key = `transfer:lock:${from}`;
  const owner = randomBytes(16).toString('hex');
  if (!(await lockAll(key, owner, 3000))) throw new Error('busy');
  try {
    await pool.query('UPDATE wallets SET cents = cents - $1 WHERE id = $2', [cents, from]); // want 4
  } finally {
    await Promise.all(nodes.map((n) => n.eval(RELEASE, 1, key, owner)));
  }
}
