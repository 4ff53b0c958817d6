import { Redis } from '@upstash/redis';
import { neon } from '@neondatabase/serverless';
import Stripe from 'stripe';

const redis = Redis.fromEnv();
const sql = neon(process.env.DATABASE_URL!);
const stripe = new Stripe(process.env.STRIPE_KEY!);

export async function GET() {
  const owner = crypto.randomUUID();
  const got = await redis.set('cron:renew:lock', owner, { nx: true, ex: 55 }); // want 7
  if (got !== 'OK') return new Response('busy', { status: 409 });
  try {
    const due = await sql`SELECT id, customer, cents FROM subscriptions WHERE due < now()`;
    for (const s of due) {
      await stripe.paymentIntents.create({ customer: s.customer, amount: s.cents, currency: 'eur' }); // want 8
      await sql`UPDATE subscriptions SET paid = true WHERE id = ${s.id}`; // want 4
    }
    return new Response('ok');
  } finally {
    if ((await redis.get('cron:renew:lock')) === owner) await redis.del('cron:renew:lock'); // want 2
  }
}

export async function fenced(id: string, body: string) {
  const fence = await redis.incr(`doc:${id}:fence`);
  const rows = await sql`UPDATE docs SET body = ${body}, fence = ${fence} WHERE id = ${id} AND fence < ${fence} RETURNING id`;
  if (rows.length === 0) throw new Error('stale');
}
