import { Pool, PoolClient } from 'pg';

const pool = new Pool({ max: 5 });

export async function exclusively<T>(id: number, fn: (c: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS ok', [id]);
    if (!rows[0].ok) throw new Error('locked');
    try {
      return await fn(client);
    } finally {
      const { rows: out } = await client.query('SELECT pg_advisory_unlock($1) AS ok', [id]);
      if (!out[0].ok) throw new Error('the lock was not ours any more');
    }
  } finally {
    client.release();
  }
}
