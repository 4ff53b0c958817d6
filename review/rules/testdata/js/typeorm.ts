import { DataSource, Repository, LessThan } from 'typeorm';
import { Stall } from './stall.entity';
import { createHash } from 'crypto';

export class Market {
  constructor(private ds: DataSource, private stalls: Repository<Stall>) {}

  async number(name: string) {
    return createHash('sha1').update(name).digest().readInt32BE(0);
  }

  async alone<T>(name: string, fn: () => Promise<T>): Promise<T | undefined> {
    const n = await this.number(name);
    const [{ ok }] = await this.ds.query('SELECT pg_try_advisory_lock($1) AS ok', [n]); // want 13
    if (!ok) return undefined;
    try {
      return await fn();
    } finally {
      await this.ds.query('SELECT pg_advisory_unlock($1)', [n]); // want 10
    }
  }
}
