import { createClient } from 'redis';
import { PrismaClient } from '@prisma/client';
import Redlock from 'redlock';
import nodemailer from 'nodemailer';
import { randomUUID } from 'crypto';

const client = createClient();
const prisma = new PrismaClient();
const redlock = new Redlock([client as any]);
const transport = nodemailer.createTransport({});

export async function closeMonth(): Promise<void> {
  const owner = randomUUID();
  const got = await client.set('lock:month', owner, { condition: 'NX', expiration: { type: 'PX', value: 60000 } });
  if (got === null) return;
  try {
    await prisma.month.update({ where: { id: 1 }, data: { closed: true } }); // want 4
  } finally {
    await client.del('lock:month'); // want 1
  }
}

export async function digest(): Promise<void> {
  await redlock.using(['digest'], 30000, async (signal) => { // want 14
    if (signal.aborted) throw signal.error;
    await transport.sendMail({ to: 'a@b.invalid' }); // want 8
  });
}

export async function nightly(work: () => Promise<void>): Promise<void> {
  try {
    await redlock.acquire(['nightly'], 30000); // want 9 14
  } catch (e) {
    console.warn('no lock', e);
  }
  await work();
}

export async function locked(id: number): Promise<void> {
  await prisma.$queryRaw`SELECT pg_advisory_lock(${id})`; // want 13
  try {
    await prisma.job.update({ where: { id }, data: { done: true } }); // want 4
  } finally {
    await prisma.$queryRaw`SELECT pg_advisory_unlock(${id})`; // want 10
  }
}

export async function short(): Promise<string | null> {
  return client.set('lock:short', randomUUID(), { NX: true, PX: 30 }); // want 20
}
