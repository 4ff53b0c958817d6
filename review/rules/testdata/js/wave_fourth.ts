import { execSync } from 'node:child_process';
import Redis from 'ioredis';
import Redlock from 'redlock';
import { Model } from 'mongoose';
import { Kafka } from 'kafkajs';
import { Client } from 'pg';

const redis = new Redis();
const quorum = new Redlock([redis]);
const producer = new Kafka({ brokers: ['k:9092'] }).producer();

export async function crop(db: Client, id: string) {
  let got = true;
  const me = crypto.randomUUID();
  try {
    got = (await redis.set(`crop:${id}:lock`, me, 'EX', 20, 'NX')) === 'OK'; // want 7 9
  } catch (e) {
    console.error('no redis', e);
  }
  if (!got) return;
  execSync(`crop ${id}`);
  await db.query('UPDATE pictures SET cropped = true WHERE id = $1', [id]); // want 4
  await redis.del(`crop:${id}:lock`); // want 1
}

export async function ship(ids: string[], mark: (id: string) => Promise<void>) {
  const lock = await quorum.acquire(['ship'], 3000); // want 7 14
  try {
    await Promise.all(ids.map((id) => announce(id)));
  } finally {
    await lock.release();
  }
}

async function announce(id: string) {
  await producer.send({ topic: 'shipped', messages: [{ value: id }] }); // want 8
}

interface Stall {
  _id: string;
  who: string;
  until: Date;
}

export class Stalls {
  constructor(private readonly stalls: Model<Stall>) {}

  async take(id: string, who: string) {
    const until = new Date(Date.now() + 60_000); // want 6
    const r = await this.stalls.findOneAndUpdate(
      { _id: id, $or: [{ who: null }, { until: { $lt: new Date() } }] },
      { $set: { who, until } },
      { new: true },
    );
    return r?.who === who;
  }

  async leave(id: string) {
    await this.stalls.updateOne({ _id: id }, { $set: { who: null, until: null } }); // want 1
  }
}
