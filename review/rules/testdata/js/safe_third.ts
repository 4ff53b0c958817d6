import { Etcd3 } from 'etcd3';
import Redis from 'ioredis';
import { Pool } from 'pg';
import axios from 'axios';
import { randomUUID } from 'crypto';

const redis = new Redis();
const pool = new Pool();
const etcd = new Etcd3();

export const half = (list: number[]) => list[Math.floor(list.length / 2)];

export async function config(name: string) {
  const leader = await etcd.get('chief/name').string();
  const { data } = await axios.get(`https://config.example/${name}`);
  return { leader, data };
}

export async function once(event: { id: string }) {
  const fresh = await redis.set(`event:seen:${event.id}`, '1', 'EX', 86400, 'NX');
  if (!fresh) return;
  await pool.query('INSERT INTO events (id) VALUES ($1) ON CONFLICT DO NOTHING', [event.id]);
}

export async function publish(id: string, body: string) {
  const owner = randomUUID();
  const key = `publish:lock:${id}`;
  if ((await redis.set(key, owner, 'PX', 10000, 'NX')) !== 'OK') throw new Error('busy');
  const fence = await redis.incr(`publish:fence:${id}`);
  const client = await pool.connect();
  try {
    await client.query('SET statement_timeout = 5000');
    const done = await client.query('UPDATE pages SET body = $1, fence = $2 WHERE id = $3 AND fence < $2', [body, fence, id]);
    if (done.rowCount === 0) throw new Error('stale');
  } finally {
    client.release();
    const freed = await redis.eval("if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end", 1, key, owner);
    if (freed !== 1) console.warn('the lock had ended', key);
  }
}

export class Panel {
  leader = false;
  render() {
    if (!this.leader) return 'follower';
    return 'leader';
  }
}
