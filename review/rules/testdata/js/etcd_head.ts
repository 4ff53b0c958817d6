import { Etcd3 } from 'etcd3';
import knexFactory from 'knex';

const etcd = new Etcd3();
const knex = knexFactory({ client: 'pg' });

export class Head {
  private lead = false;

  async run(id: string) {
    const election = etcd.election('ticker');
    const campaign = election.campaign(id);
    campaign.on('elected', () => {
      this.lead = true;
    });
    campaign.on('error', () => {
      this.lead = false;
    });
    setInterval(() => this.tick(), 1000);
  }

  private async tick() {
    if (!this.lead) return;
    await knex('ticker').where({ id: 1 }).update({ beat: knex.fn.now() }); // want 11
  }
}
