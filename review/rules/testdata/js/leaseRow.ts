import { Knex } from 'knex';

export async function claim(knex: Knex, name: string, worker: string): Promise<boolean> {
  const until = new Date(Date.now() + 30_000); // want 6
  const n = await knex('job_leases')
    .where({ name })
    .andWhere((q) => q.whereNull('owner').orWhere('expires_at', '<', new Date()))
    .update({ owner: worker, expires_at: until });
  return n === 1;
}

export async function drop(knex: Knex, name: string) {
  await knex('job_leases').where({ name }).update({ owner: null, expires_at: null }); // want 1
}
