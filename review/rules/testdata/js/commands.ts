import { PublishCommand } from '@aws-sdk/client-sns';
import { randomUUID } from 'node:crypto';
import type Redis from 'ioredis';

const FREE = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`;

export async function announce(kv: Redis, aws: any, race: string) {
  const me = randomUUID();
  if ((await kv.set(`race:${race}:lock`, me, 'PX', 5000, 'NX')) !== 'OK') return;
  try {
    await aws.send(new PublishCommand({ TopicArn: 'arn:x', Message: race }), { abortSignal: AbortSignal.timeout(3000) }); // want 8
  } finally {
    const n = await kv.eval(FREE, 1, `race:${race}:lock`, me);
    if (n !== 1) console.warn('late');
  }
}
