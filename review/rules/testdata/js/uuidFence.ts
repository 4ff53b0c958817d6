import { v4 as uuidv4 } from 'uuid';
import { Pool } from 'pg';
import Redis from 'ioredis';

const redis = new Redis();

export async function publish(pool: Pool, page: string, html: string) {
  const owner = uuidv4();
  if ((await redis.set(`page-lock:${page}`, owner, 'PX', 20000, 'NX')) !== 'OK') return false;
  const fencingToken = Math.floor(Date.now() / 1000); // want 5
  const res = await pool.query('UPDATE pages SET html = $1, fence = $2 WHERE id = $3 AND fence < $2', [html, fencingToken, page]);
  return res.rowCount === 1;
}
