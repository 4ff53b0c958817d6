import { drizzle } from 'drizzle-orm/node-postgres';
import { and, eq, lt, or, isNull } from 'drizzle-orm';
import { pumps } from './schema';

const db = drizzle(process.env.PG!);

export async function grab(id: number, me: string) {
  const got = await db.update(pumps)
    .set({ operator: me, freeAt: new Date(Date.now() + 30_000) }) // want 6
    .where(and(eq(pumps.id, id), or(isNull(pumps.operator), lt(pumps.freeAt, new Date()))))
    .returning();
  return got.length === 1;
}

export async function drop(id: number) {
  await db.update(pumps).set({ operator: null }).where(eq(pumps.id, id)); // want 1
}
