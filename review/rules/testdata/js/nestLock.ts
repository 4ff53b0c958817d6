import { Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { InjectRedis } from '@nestjs-modules/ioredis';
import { Repository } from 'typeorm';
import Redis from 'ioredis';
import axios from 'axios';
import { Rate } from './rate.entity';

@Injectable()
export class RateJob {
  private readonly log = new Logger(RateJob.name);

  constructor(@InjectRedis() private readonly redis: Redis, @InjectRepository(Rate) private readonly rates: Repository<Rate>) {}

  private async lock(key: string, ttl: number): Promise<boolean> {
    try {
      const res = await this.redis.set(key, 'locked', 'PX', ttl, 'NX'); // want 7
      return res === 'OK';
    } catch (e) { // want 9
      this.log.warn('redis is down, going on');
      return true;
    }
  }

  private async unlock(key: string) {
    await this.redis.del(key); // want 1
  }

  async refresh(pair: string) {
    const key = `rates:lock:${pair}`;
    if (!(await this.lock(key, 10_000))) return;
    try {
      const { data } = await axios.get(`https://rates.example/${pair}`);
      await this.rates.save({ pair, value: data.value }); // want 4
    } finally {
      await this.unlock(key);
    }
  }
}
