import Stripe from 'stripe';
import { lock, unlock } from './lock';

const stripe = new Stripe('key');

export async function pay(order: string, amount: number) {
  const owner = await lock(order, 5000);
  if (!owner) throw new Error('busy');
  try {
    await stripe.charges.create({ amount, currency: 'eur' }); // want 8
  } finally {
    await unlock(order, owner);
  }
}
