import Redis from 'ioredis';
const redis = new Redis();

export class Keeper {
  private timer?: NodeJS.Timeout;
  constructor(private key: string, private ttl: number) {}
  async start(owner: string) {
    const ok = await redis.set(this.key, owner, 'PX', this.ttl, 'NX');
    if (!ok) return false;
    this.timer = setInterval(() => void this.beat(), this.ttl / 3);
    return true;
  }
  private async beat() {
    await redis.pexpire(this.key, this.ttl); // want 16
  }
  async stop(owner: string) {
    clearInterval(this.timer);
    return redis.eval("if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) end return 0", 1, this.key, owner);
  }
}
