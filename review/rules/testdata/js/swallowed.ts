import Redis from 'ioredis';
import knex from './db';

const redis = new Redis();

export async function grantCredits(userId: number, amount: number) {
  try {
    const ok = await redis.set(`lock:credits:${userId}`, `${process.pid}-${Math.random()}`, 'EX', 10, 'NX'); // want 9
    if (!ok) return;
  } catch (err) {
    console.warn('lock unavailable, going on', err);
  }
  await knex('accounts').where({ id: userId }).increment('credits', amount); // want 4
}
