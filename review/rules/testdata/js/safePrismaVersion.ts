import { PrismaClient } from '@prisma/client';

const prisma = new PrismaClient();

export async function rename(id: string, name: string, version: number) {
  const { count } = await prisma.document.updateMany({
    where: { id, version },
    data: { name, version: { increment: 1 } },
  });
  if (count === 0) throw new Error('changed meanwhile');
}

export async function claim(worker: string) {
  return prisma.$transaction(async (tx) => {
    const [job] = await tx.$queryRaw<{ id: string }[]>`SELECT id FROM jobs WHERE state = 'ready' LIMIT 1 FOR UPDATE SKIP LOCKED`;
    if (!job) return null;
    return tx.job.update({ where: { id: job.id }, data: { state: 'running', lockedBy: worker, lockedAt: new Date() } });
  });
}
