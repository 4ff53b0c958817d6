import { Mutex } from 'async-mutex';

const mutex = new Mutex();
const tokens = new Map();

export async function refresh(session, redis) {
  const release = await mutex.acquire();
  try {
    const token = tokens.get(session);
    if (token && token.expiresAt > Date.now()) return token;
    const fresh = { value: crypto.randomUUID(), expiresAt: Date.now() + 60_000 };
    tokens.set(session, fresh);
    await redis.set(`session:${session}`, JSON.stringify(fresh), 'EX', 60);
    return fresh;
  } finally {
    release();
  }
}

export function unlockDoor(door) {
  door.locked = false;
  return fetch(`/doors/${door.id}/lock`, { method: 'DELETE' });
}
