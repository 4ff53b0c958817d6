import Redis from 'ioredis';

export class ParcelLocker {
  private readonly kv = new Redis();

  async open(box: number, pin: string): Promise<boolean> {
    const raw = await this.kv.get(`box:${box}:pin:${pin}`);
    if (!raw) return false;
    const grant = JSON.parse(raw) as { owner: string; expiresAt: number };
    if (grant.expiresAt < Date.now()) {
      await this.kv.del(`box:${box}:pin:${pin}`);
      return false;
    }
    return this.unlock(box);
  }

  private unlock(box: number): boolean {
    return box > 0;
  }

  async issue(box: number, pin: string, owner: string) {
    return (await this.kv.set(`box:${box}:pin:${pin}`, JSON.stringify({ owner, expiresAt: Date.now() + 3.6e6 }), 'EX', 3600, 'NX')) === 'OK';
  }
}
