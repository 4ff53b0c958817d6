import Client from 'ioredis';
import Redlock, { Lock } from 'redlock';
import Stripe from 'stripe';
import { db } from './knex';

const nodes = ['a', 'b', 'c'].map((h) => new Client({ host: h }));
const locker = new Redlock(nodes, { retryCount: 3 });
const stripe = new Stripe(process.env.KEY!);

export async function payInvoice(invoiceId: string, amount: number) {
  let held: Lock | undefined;
  try {
    held = await locker.acquire([`invoice:${invoiceId}`], 8000); // want 7 14
    const intent = await stripe.paymentIntents.create({ amount, currency: 'eur' }); // want 8
    await db('invoices').where({ id: invoiceId }).update({ paid: true, intent: intent.id }); // want 4
  } finally {
    await held?.release().catch(() => undefined); // want 10
  }
}
