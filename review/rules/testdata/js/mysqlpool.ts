import { createPool } from 'mysql2/promise';
const pool = createPool({ uri: process.env.DB });

async function scalar(sql: string, args: unknown[]): Promise<number> {
  const [rows] = await pool.query<any[]>(sql, args);
  return Object.values(rows[0])[0] as number;
}

export async function only(name: string, fn: () => Promise<void>) {
  if ((await scalar('SELECT GET_LOCK(?, 0)', [name])) !== 1) return false; // want 13
  try {
    await fn();
  } finally {
    const n = await scalar('SELECT RELEASE_LOCK(?)', [name]);
    if (n !== 1) console.warn('not ours');
  }
  return true;
}
