import { Injectable, Inject, Logger } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { Redis } from 'ioredis';
import { Settlement } from './settlement.entity';

const HOLD_SECONDS = 90;

@Injectable()
export class SettlementJob {
  private readonly log = new Logger(SettlementJob.name);

  constructor(
    @Inject('REDIS') private readonly kv: Redis,
    @InjectRepository(Settlement) private readonly settlements: Repository<Settlement>,
  ) {}

  @Cron('0 2 * * *')
  async handle(): Promise<void> {
    const slot = `settle:${new Date().toISOString().slice(0, 10)}:lock`;
    const res = await this.kv.set(slot, process.pid, 'EX', HOLD_SECONDS, 'NX');
    if (res !== 'OK') {
      this.log.debug('another node has it');
      return;
    }
    try {
      const open = await this.settlements.find({ where: { state: 'open' } });
      for (const s of open) {
        s.total = s.gross - s.fees;
        await this.settlements.save(s); // want 4
      }
    } finally {
      await this.kv.del(slot); // want 1
    }
  }
}
