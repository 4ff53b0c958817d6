import Redis, { Result } from 'ioredis';
import { randomUUID } from 'crypto';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    giveBack(key: string, owner: string): Result<number, Context>;
  }
}

const redis = new Redis();
redis.defineCommand('giveBack', {
  numberOfKeys: 1,
  lua: [
    "local cur = redis.call('GET', KEYS[1])",
    'if cur == ARGV[1] then',
    "  return redis.call('DEL', KEYS[1])",
    'end',
    'return 0',
  ].join('\n'),
});

export async function take(name: string, ms: number) {
  const owner = randomUUID();
  const ok = await redis.set(`mutex:${name}`, owner, 'PX', ms, 'NX');
  if (ok !== 'OK') return undefined;
  return async () => (await redis.giveBack(`mutex:${name}`, owner)) === 1;
}
