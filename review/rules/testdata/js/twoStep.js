import { createClient } from 'redis';

const cache = await createClient().connect();

export async function startExport(accountId) {
  const lockKey = `export-lock:${accountId}`;
  if (await cache.exists(lockKey)) {
    return false;
  }
  await cache.set(lockKey, Date.now().toString()); // want 3
  await runExport(accountId);
  await cache.del(lockKey); // want 1
  return true;
}

async function runExport(accountId) {}
