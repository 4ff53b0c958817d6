import { Redis, Cluster } from 'ioredis';
import { EntityManager } from '@mikro-orm/core';
import { DataSource, EntityManager as TypeormManager } from 'typeorm';
import { PrismaClient } from '@prisma/client';
import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import sgMail from '@sendgrid/mail';

const sns = new SNSClient({});

type Unlock = () => Promise<void>;

export function locker(redis: Redis | Cluster) {
  return async (name: string, ms: number): Promise<Unlock | undefined> => {
    const me = Math.random().toString(36);
    if ((await redis.set(`l:${name}:lock`, me, 'PX', ms, 'NX')) !== 'OK') return undefined;
    return async () => {
      if ((await redis.get(`l:${name}:lock`)) === me) {
        await redis.del(`l:${name}:lock`); // want 2
      }
    };
  };
}

export async function bill(redis: Redis, prisma: PrismaClient, id: string) {
  const unlock = await locker(redis)(`bill:${id}`, 5000);
  if (!unlock) return;
  try {
    await prisma.invoice.update({ where: { id }, data: { sent: true } }); // want 4
    await sgMail.send({ to: 'a@b.example', from: 'c@d.example', subject: 'Bill', text: '' }); // want 8
  } finally {
    await unlock();
  }
}

export class Beat {
  private isLeader = false;

  constructor(private readonly redis: Redis, private readonly orm: DataSource) {
    setInterval(() => void this.renew(), 3000);
  }

  private async renew() {
    const got = await this.redis.set('beat:leader', process.env.POD!, 'EX', 10, 'NX');
    this.isLeader = got === 'OK' || (await this.redis.get('beat:leader')) === process.env.POD;
  }

  async beat() {
    if (!this.isLeader) return;
    await this.orm.transaction(async (m: TypeormManager) => {
      await m.query('UPDATE beats SET n = n + 1'); // want 11
    });
    await sns.send(new PublishCommand({ TopicArn: 'beats', Message: 'beat' })); // want 8
  }
}

export async function takeRow(em: EntityManager, name: string, who: string) {
  const row = await em.findOne('JobLock', { name });
  if (row && (row as any).expiresAt > new Date()) return false; // want 6
  await em.upsert('JobLock', { name, owner: who, expiresAt: new Date(Date.now() + 30_000) }); // want 3 6
  return true;
}
