const knex = require('knex')({ client: 'pg' });

async function nextNumber(series) {
  return knex.transaction(async (trx) => {
    await trx.raw('SELECT pg_advisory_xact_lock(hashtext(?))', [series]);
    const row = await trx('series').where({ series }).forUpdate().first();
    await trx('series').where({ series }).update({ last: row.last + 1 });
    return row.last + 1;
  });
}

module.exports = { nextNumber };
