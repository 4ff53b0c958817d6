import { createClient } from 'redis';
import { Pool } from 'pg';
import { randomUUID } from 'crypto';

const redis = createClient();
const pool = new Pool();

export async function settle(id: string, total: number) {
  const key = `settle:lock:${id}`;
  const owner = randomUUID();
  if (!(await redis.set(key, owner, { condition: 'NX', expiration: { type: 'PX', value: 8000 } }))) return false;
  const fence = Date.now(); // want 5
  const r = await pool.query('UPDATE settlements SET total = $1, fence = $2 WHERE id = $3 AND fence < $2', [total, fence, id]);
  const held = (await redis.get(key)) === owner;
  if (held) await redis.del(key); // want 2
  return r.rowCount === 1;
}

export async function settleBeside(id: string, total: number) {
  const fence = await redis.incr(`settle:fence:${id}`);
  const { rows } = await pool.query('SELECT fence FROM settlements WHERE id = $1', [id]);
  if (rows[0].fence > fence) throw new Error('stale');
  await pool.query('UPDATE settlements SET total = $1, fence = $2 WHERE id = $3', [total, fence, id]); // want 15
}
