import { Pool } from 'pg';

export class Outdated extends Error {}

/** The fence of a barge is looked at by a helper, which throws. */
export class Barges {
  constructor(private readonly pool: Pool, private readonly fence: number) {}

  private async onlyIfNewest(barge: string): Promise<void> {
    const { rows } = await this.pool.query('SELECT fence FROM barges WHERE id = $1', [barge]);
    if (this.fence < rows[0].fence) {
      throw new Outdated(barge);
    }
  }

  async load(barge: string, tons: number): Promise<void> {
    await this.onlyIfNewest(barge);
    await this.pool.query('UPDATE barges SET tons = $2, fence = $3 WHERE id = $1', [barge, tons, this.fence]); // want 15
  }

  async unload(barge: string): Promise<void> {
    await this.onlyIfNewest(barge);
    await this.pool.query('UPDATE barges SET tons = 0, fence = $2 WHERE id = $1 AND fence <= $2', [barge, this.fence]);
  }
}
