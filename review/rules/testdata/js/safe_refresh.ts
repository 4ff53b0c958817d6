import { PrismaClient } from '@prisma/client';

// A profile that is refreshed when it is old: nobody holds it.
export async function refresh(prisma: PrismaClient, id: string, load: (id: string) => Promise<string>) {
  const row = await prisma.profile.findUnique({ where: { id } });
  if (row && Date.now() - row.fetchedAt.getTime() < 60_000) return row.body;
  const body = await load(id);
  await prisma.profile.upsert({ where: { id }, create: { id, body, fetchedAt: new Date() }, update: { body, fetchedAt: new Date() } });
  return body;
}
