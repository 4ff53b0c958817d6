import { PrismaClient } from '@prisma/client';

const prisma = new PrismaClient();

export async function acquireLease(resource: string, worker: string): Promise<boolean> {
  const current = await prisma.lease.findUnique({ where: { resource } });
  if (current && current.expiresAt.getTime() > Date.now()) { // want 6
    return false;
  }
  await prisma.lease.upsert({ // want 3
    where: { resource },
    create: { resource, worker, expiresAt: new Date(Date.now() + 60_000) }, // want 6
    update: { worker, expiresAt: new Date(Date.now() + 60_000) },
  });
  return true;
}

export async function releaseLease(resource: string): Promise<void> {
  await prisma.lease.delete({ where: { resource } }); // want 1
}
