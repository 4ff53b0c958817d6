import { Kysely, sql } from 'kysely';

export async function drain(db: Kysely<any>, id: number, work: () => Promise<void>) {
  const { rows } = await sql<{ got: boolean }>`SELECT pg_try_advisory_lock(${id}) AS got`.execute(db); // want 13
  if (!rows[0].got) return;
  try {
    await work();
  } finally {
    await sql`SELECT pg_advisory_unlock(${id})`.execute(db); // want 10
  }
}
