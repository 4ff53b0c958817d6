import { Injectable, Inject } from '@nestjs/common';
import { Redis } from 'ioredis';
import { Repository } from 'typeorm';
import { Order } from './order.entity';

@Injectable()
export class OrderGuard {
  private readonly seconds = 15;

  constructor(@Inject('REDIS') private readonly redis: Redis, private readonly orders: Repository<Order>) {}

  private key(id: string) {
    return `order-guard:${id}`;
  }

  async confirm(id: string): Promise<void> {
    const taken = await this.redis.setnx(this.key(id), '1');
    if (taken === 0) {
      throw new Error('order is being confirmed');
    }
    await this.redis.expire(this.key(id), this.seconds); // want 3
    try {
      await this.orders.update({ id }, { state: 'confirmed' }); // want 4
    } finally {
      await this.redis.del(this.key(id)); // want 1
    }
  }
}
