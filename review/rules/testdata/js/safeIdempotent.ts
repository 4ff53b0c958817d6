import Redis from 'ioredis';
import Stripe from 'stripe';
import { randomUUID } from 'crypto';

const redis = new Redis();
const stripe = new Stripe('k');
const RELEASE = "if redis.call('get',KEYS[1]) == ARGV[1] then return redis.call('del',KEYS[1]) end return 0";

export async function charge(orderId: string, amount: number) {
  const me = randomUUID();
  if (!(await redis.set(`order-lock:${orderId}`, me, 'EX', 30, 'NX'))) throw new Error('busy');
  try {
    return await stripe.charges.create({ amount, currency: 'usd' }, { idempotencyKey: `order-${orderId}`, timeout: 10_000 });
  } finally {
    if ((await redis.eval(RELEASE, 1, `order-lock:${orderId}`, me)) !== 1) {
      console.error('lock ended before the charge');
    }
  }
}
