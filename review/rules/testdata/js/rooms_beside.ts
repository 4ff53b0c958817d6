import { Mutex } from 'async-mutex';
import Redis from 'ioredis';

export class JobLock {
  constructor(private redis: Redis, private name: string, private me: string) {}
  async acquire(): Promise<boolean> {
    return (await this.redis.set(this.name, this.me, 'PX', 30000, 'NX')) === 'OK';
  }
  async release() {
    await this.redis.eval("if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0", 1, this.name, this.me); // want 10
  }
}

export class Rooms {
  private locks = new Map<string, Mutex>();
  async join(room: string, who: string) {
    const lock = this.locks.get(room)!;
    await lock.acquire();
    try {
      await this.notify(room, who);
    } finally {
      lock.release();
    }
  }
}
