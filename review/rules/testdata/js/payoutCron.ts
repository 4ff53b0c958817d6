import Redlock from 'redlock';
import IORedis from 'ioredis';
import Stripe from 'stripe';
import { prisma } from './prisma';

const stripe = new Stripe(process.env.STRIPE_KEY!);
const redlock = new Redlock([new IORedis(6379, 'a'), new IORedis(6379, 'b'), new IORedis(6379, 'c')]);

export async function payout(sellerId: string, cents: number) {
  const lock = await redlock.acquire([`payout:${sellerId}`], 10_000); // want 7 14
  try {
    await stripe.transfers.create({ amount: cents, currency: 'eur', destination: sellerId }); // want 8
    await prisma.seller.update({ where: { id: sellerId }, data: { balance: 0 } }); // want 4
  } finally {
    await lock.release();
  }
}
