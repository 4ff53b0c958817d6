import { Pool } from 'pg';
import { randomUUID } from 'crypto';
const pg = new Pool();

export async function refresh(user: number) {
  const value = randomUUID();
  await pg.query('UPDATE logins SET secret = $1, ends = $2 WHERE id = $3 AND ends < $4',
    [value, new Date(Date.now() + 3600e3), user, new Date()]);
  return value;
}
export async function find(secret: string) {
  const r = await pg.query('SELECT * FROM logins WHERE secret = $1 AND ends > now()', [secret]);
  return r.rows[0];
}
