import { Pool } from 'pg';

const pool = new Pool();
const LOCK = 'SELECT pg_try_advisory_lock($1, $2) AS got';
const UNLOCK = 'SELECT pg_advisory_unlock($1, $2)';

export async function exclusively<T>(space: number, id: number, fn: () => Promise<T>): Promise<T | null> {
  const { rows } = await pool.query(LOCK, [space, id]); // want 13
  if (!rows[0].got) return null;
  try {
    return await fn();
  } finally {
    await pool.query(UNLOCK, [space, id]); // want 10
  }
}
