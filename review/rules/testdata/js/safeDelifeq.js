import { createClient } from 'redis';
import { randomUUID } from 'node:crypto';

const client = await createClient().connect();

export async function withLease(name, ms, fn) {
  const owner = randomUUID();
  const ok = await client.set(name, owner, { condition: 'NX', expiration: { type: 'PX', value: ms } });
  if (!ok) return { ran: false };
  const signal = AbortSignal.timeout(ms / 2);
  try {
    return { ran: true, value: await fn(signal) };
  } finally {
    const n = await client.sendCommand(['DELIFEQ', name, owner]);
    if (n !== 1) throw new Error(`${name} was lost`);
  }
}
