import { Knex } from 'knex';

export async function write(knex: Knex, id: number, permit: number, body: string) {
  await knex.transaction(async (t) => {
    const row = await t('pages').where({ id }).first('permit');
    if (row.permit > permit) throw new Error('stale');
    await t('pages').where({ id }).update({ body, permit }); // want 15
  });
}

export async function locked(knex: Knex, id: number, permit: number, body: string) {
  await knex.transaction(async (t) => {
    const row = await t('pages').where({ id }).forUpdate().first('permit');
    if (row.permit > permit) throw new Error('stale');
    await t('pages').where({ id }).update({ body, permit });
  });
}
