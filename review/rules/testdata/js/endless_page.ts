import Redlock from 'redlock';
import Redis from 'ioredis';
import { launch } from './browser';

const redis = new Redis();
const FREE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0";

export async function shoot(id: string, me: string) {
  if ((await redis.set(`shoot:${id}:lock`, me, 'EX', 15, 'NX')) !== 'OK') return null; // want 7
  const page = await launch();
  try {
    return await page.open(`https://pages.example/${id}`, { timeout: 0 });
  } finally {
    if ((await redis.eval(FREE, 1, `shoot:${id}:lock`, me)) !== 1) console.warn('the lease had ended');
  }
}

const quorum = new Redlock([redis]);

export async function told() {
  const hold = await quorum.acquire(['told'], 3000); // want 14
  await hold.release().catch((e) => console.warn('it had ended', e));
}
