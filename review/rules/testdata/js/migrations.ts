import { Pool } from 'pg';

const pool = new Pool();
const LOCK_ID = 72_001;

export async function migrate(steps: string[]) {
  await pool.query('SELECT pg_advisory_lock($1)', [LOCK_ID]); // want 13
  try {
    for (const step of steps) {
      await pool.query(step);
    }
  } finally {
    await pool.query('SELECT pg_advisory_unlock($1)', [LOCK_ID]); // want 10
  }
}
