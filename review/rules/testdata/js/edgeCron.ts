import { Redis } from '@upstash/redis';
import { Resend } from 'resend';

const redis = Redis.fromEnv();
const resend = new Resend(process.env.RESEND_KEY);

export async function GET() {
  const lockKey = 'cron:reminders';
  const acquired = await redis.set(lockKey, Date.now(), { nx: true, ex: 300 }); // want 7
  if (!acquired) return new Response('busy', { status: 409 });
  try {
    const due = await load();
    await Promise.all(due.map((d) => resend.emails.send({ to: d.email, subject: 'Reminder' }))); // want 8
    return Response.json({ sent: due.length });
  } finally {
    await redis.del(lockKey); // want 1
  }
}

declare function load(): Promise<{ email: string }[]>;
