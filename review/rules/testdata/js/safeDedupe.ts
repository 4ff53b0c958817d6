import { createClient } from 'redis';

const redis = createClient();

export async function onMessage(msg: { id: string; body: string }, handle: (b: string) => Promise<void>) {
  const fresh = await redis.set(`processed:${msg.id}`, '1', { NX: true, EX: 7 * 24 * 3600 });
  if (!fresh) return;
  try {
    await handle(msg.body);
  } catch (e) {
    await redis.del(`processed:${msg.id}`);
    throw e;
  }
}

export async function countVisit(page: string, visitor: string) {
  if (await redis.setNX(`visit:${page}:${visitor}`, '1')) {
    await redis.expire(`visit:${page}:${visitor}`, 3600);
    await redis.incr(`visits:${page}`);
  }
}
