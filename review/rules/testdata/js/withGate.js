import { randomUUID } from 'node:crypto';
import { createClient } from 'redis';
import nodemailer from 'nodemailer';

const kv = createClient();
const post = nodemailer.createTransport({});

export async function alone(what, fn) {
  const me = randomUUID();
  const got = await kv.set(what, me, { NX: true, PX: 10000 });
  if (!got) return undefined;
  try {
    return await fn();
  } finally {
    if ((await kv.get(what)) === me) {
      await kv.del(what); // want 2
    }
  }
}

export const digest = (users) =>
  alone('digest', async () => {
    for (const u of users) {
      await post.sendMail({ to: u.mail, subject: 'digest' }); // want 8
    }
  });
