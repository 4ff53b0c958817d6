import { createClient } from 'redis';
import { Kysely } from 'kysely';
import { v4 } from 'uuid';

const redis = createClient();

export class Mutex {
  private token?: string;
  private timer?: NodeJS.Timeout;

  constructor(private readonly name: string, private readonly ttl = 15_000) {}

  async acquire() {
    this.token = v4();
    const r = await redis.set(`mutex:${this.name}`, this.token, { NX: true, PX: this.ttl });
    if (!r) throw new Error(`${this.name} is taken`);
    this.timer = setInterval(() => redis.pExpire(`mutex:${this.name}`, this.ttl), this.ttl / 3); // want 16
  }

  async release() {
    clearInterval(this.timer);
    const current = await redis.get(`mutex:${this.name}`);
    if (current !== this.token) return;
    await redis.del(`mutex:${this.name}`); // want 2
  }

  async isHeld(): Promise<boolean> {
    return (await redis.get(`mutex:${this.name}`)) === this.token;
  }
}

export async function restock(db: Kysely<any>, sku: string, n: number) {
  const m = new Mutex(`restock:${sku}`);
  await m.acquire();
  try {
    if (!(await m.isHeld())) throw new Error('lost');
    await db.updateTable('stock').set({ n }).where('sku', '=', sku).execute(); // want 4 12
  } finally {
    m.release().catch(() => undefined);
  }
}
