import Redis from 'ioredis';
const r = new Redis();

// One webhook is only handled once: the mark stays for a day.
export async function onWebhook(event, handle) {
  const fresh = await r.set(`hook:${event.id}`, '1', 'EX', 86400, 'NX');
  if (!fresh) return 'again';
  try {
    await handle(event);
  } catch (e) {
    await r.del(`hook:${event.id}`);
    throw e;
  }
  return 'done';
}
