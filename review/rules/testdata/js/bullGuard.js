import Redis from 'ioredis';
import mongoose from 'mongoose';
import nodemailer from 'nodemailer';

const redis = new Redis();
const Order = mongoose.model('Order');
const transport = nodemailer.createTransport(process.env.SMTP);

const withLock = (key, ttl, fn) => async (job) => {
  const full = `${key}:${job.data.id}`;
  const ok = await redis.set(full, job.id, 'NX', 'PX', ttl); // want 9
  if (!ok) {
    console.log('skipped');
  }
  try {
    return await fn(job);
  } finally {
    await redis.del(full); // want 1
  }
};

export const ship = withLock('lock:ship', 5000, async (job) => {
  await Order.updateOne({ _id: job.data.id }, { $set: { shipped: true } }); // want 4
  await transport.sendMail({ to: job.data.mail, subject: 'On its way' }); // want 8
});
