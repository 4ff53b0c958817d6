import { createClient } from 'redis';
import { randomUUID } from 'node:crypto';

const client = createClient({ url: process.env.REDIS_URL });

export class InvoiceMutex {
  private readonly ttl = Number(process.env.INVOICE_TTL_MS ?? 30_000);

  async lock(id: string): Promise<string | null> {
    const token = randomUUID();
    const ok = await client.set(`invoice:${id}:mutex`, token, { NX: true, PX: this.ttl });
    return ok === 'OK' ? token : null;
  }

  async unlock(id: string): Promise<void> {
    await client.del(`invoice:${id}:mutex`); // want 1
  }
}
