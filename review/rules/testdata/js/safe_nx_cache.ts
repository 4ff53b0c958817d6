import Redis from 'ioredis';
const r = new Redis();

// The first one that misses fills the cache; the others wait for it.
export async function cached<T>(key: string, make: () => Promise<T>): Promise<T> {
  for (;;) {
    const hit = await r.get(key);
    if (hit) return JSON.parse(hit);
    if (await r.set(`${key}:filling`, '1', 'PX', 2000, 'NX')) {
      const v = await make();
      await r.set(key, JSON.stringify(v), 'EX', 60);
      return v;
    }
    await new Promise((f) => setTimeout(f, 50));
  }
}
