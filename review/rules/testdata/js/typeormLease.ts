import { DataSource } from 'typeorm';
import { LeaseEntity } from './lease.entity';

export class LeaseService {
  constructor(private readonly ds: DataSource) {}

  async take(job: string, worker: string): Promise<boolean> {
    const repo = this.ds.getRepository(LeaseEntity);
    const row = await repo.findOneBy({ job });
    if (row && row.expiresAt.getTime() > Date.now()) { // want 6
      return false;
    }
    await repo.save({ job, lockedBy: worker, expiresAt: new Date(Date.now() + 60_000) }); // want 3 6
    return true;
  }
}
