import { createClient } from 'redis';
import { PrismaClient } from '@prisma/client';
import { hostname } from 'node:os';

const prisma = new PrismaClient();
const client = createClient({ url: process.env.REDIS_URL });

export class SlotGate {
  constructor(private readonly slot: string, private readonly me = `${hostname()}-${process.pid}`) {}

  private get lockKey() {
    return `slots:${this.slot}:lock`;
  }

  async open(): Promise<boolean> {
    const reply = await client.set(this.lockKey, this.me, { NX: true, PX: 10_000 });
    return reply !== null;
  }

  async close(): Promise<void> {
    await client.del(this.lockKey); // want 1
  }
}

export async function book(slot: string, guest: number) {
  const gate = new SlotGate(slot);
  if (!(await gate.open())) throw new Error('busy');
  try {
    await prisma.booking.create({ data: { slot, guestId: guest } }); // want 4
  } finally {
    await gate.close();
  }
}
