import { DataSource } from 'typeorm';
import { Bay } from './bay';

/** Bays of a car park: a car has one until it leaves. When it came is noted, and ends nothing. */
export class Bays {
  constructor(private readonly ds: DataSource) {}

  async acquire(level: number, car: string): Promise<Bay | null> {
    const runner = this.ds.createQueryRunner();
    await runner.connect();
    await runner.startTransaction();
    try {
      const bay = await runner.manager
        .createQueryBuilder(Bay, 'b')
        .setLock('pessimistic_write')
        .where('b.level = :level AND b.lockedBy IS NULL', { level })
        .getOne();
      if (bay) {
        bay.lockedBy = car;
        bay.lockedAt = new Date();
        await runner.manager.save(bay);
      }
      await runner.commitTransaction();
      return bay;
    } finally {
      await runner.release();
    }
  }

  async leave(id: number, car: string): Promise<boolean> {
    const res = await this.ds.manager.update(Bay, { id, lockedBy: car }, { lockedBy: null, lockedAt: null });
    return res.affected === 1;
  }
}
