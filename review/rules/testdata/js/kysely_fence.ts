import { Kysely } from 'kysely';

export class Store {
  constructor(private readonly kdb: Kysely<any>) {}
  async save(job: string, state: string, fencingToken: number) {
    const row = await this.kdb.selectFrom('checkpoint').select('fence').where('job', '=', job).executeTakeFirst();
    if (row && row.fence > fencingToken) throw new Error('stale');
    await this.kdb.updateTable('checkpoint').set({ state, fence: fencingToken }).where('job', '=', job).execute(); // want 15
  }
}
