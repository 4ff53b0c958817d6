import Redlock from 'redlock';
import Redis from 'ioredis';
import twilio from 'twilio';

const sms = twilio(process.env.SID!, process.env.TOKEN!);
const redlock = new Redlock([new Redis(6379), new Redis(6380), new Redis(6381)], { retryCount: 3 });

export async function remind(user: { id: string; phone: string }) {
  let lock;
  try {
    lock = await redlock.acquire([`remind:${user.id}`], 5000); // want 7 9 14
  } catch (err) {
    console.warn('no lock, going on', err);
  }
  await sms.messages.create({ to: user.phone, from: '+100', body: 'Tomorrow at nine' }); // want 8
  await lock?.release().catch(() => {}); // want 10
}
