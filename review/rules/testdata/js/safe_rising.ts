import Redlock from 'redlock';
import { knex } from './db';

export async function publish(redlock: Redlock, name: string, location: string, n: number) {
  await redlock.using(['sets:' + name], 5000, async () => {
    const rows = await knex('sets').where({ name }).andWhere('writer', '<=', n).update({ location, writer: n });
    if (rows !== 1) throw new Error('stale');
  });
}
