import { Sequelize, QueryTypes } from 'sequelize';
import { leases } from './leases';

export async function saveForecast(db: Sequelize, city: string, body: string) {
  const lease = await leases.acquire(`forecast/${city}`, { timeoutMs: 20_000 });
  const [, affected] = await db.query(
    'UPDATE forecasts SET body = :body, fence = :fence WHERE city = :city AND fence <= :fence',
    { replacements: { body, city, fence: lease.fence }, type: QueryTypes.UPDATE },
  );
  if (affected === 0) throw new Error('superseded');
}
