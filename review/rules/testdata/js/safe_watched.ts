import { createClient } from 'redis';

export class Lease {
  constructor(private client: ReturnType<typeof createClient>, private key: string, private mine: string) {}
  async acquire() {
    return (await this.client.set(this.key, this.mine, { NX: true, PX: 30000 })) === 'OK';
  }
  release() {
    return this.ifMine((tx) => tx.del(this.key));
  }
  renew() {
    return this.ifMine((tx) => tx.pExpire(this.key, 30000));
  }
  private ifMine(change: (tx: any) => any) {
    return this.client.executeIsolated(async (iso) => {
      await iso.watch(this.key);
      if ((await iso.get(this.key)) !== this.mine) {
        await iso.unwatch();
        return false;
      }
      return (await change(iso.multi()).exec()) !== null;
    });
  }
}
