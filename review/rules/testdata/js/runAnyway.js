import { createClient } from 'redis';
const redis = createClient();

export async function once(name, job) {
  let locked = false;
  try {
    locked = (await redis.set(`once:lock:${name}`, '1', { NX: true, EX: 60 })) === 'OK';
  } catch (err) { // want 9
    console.error('redis is down, running anyway', err);
    locked = true;
  }
  if (!locked) return;
  await job();
}
