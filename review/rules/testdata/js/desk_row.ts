import { Pool } from 'pg';

const pg = new Pool();

export class Desk {
  constructor(private readonly who: string) {}

  async sit(n: number): Promise<boolean> {
    const r = await pg.query(
      `UPDATE desks SET clerk = $1, leaves = $2 WHERE n = $3 AND (clerk IS NULL OR leaves < $4)`,
      [this.who, new Date(Date.now() + 60000), n, new Date()], // want 6
    );
    return r.rowCount === 1;
  }

  async rise(n: number): Promise<void> {
    await pg.query('UPDATE desks SET clerk = NULL WHERE n = $1', [n]); // want 1
  }
}
