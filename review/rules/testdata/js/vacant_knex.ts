import { Knex } from 'knex';

export async function take(knex: Knex, name: string, me: string) {
  const n = await knex('job_mutex').where({ name }).whereNull('holder').update({ holder: me, taken_at: knex.fn.now() }); // want 3
  return n === 1;
}

export async function give(knex: Knex, name: string, me: string) {
  const n = await knex('job_mutex').where({ name, holder: me }).update({ holder: null });
  if (n === 0) throw new Error('lost');
}
