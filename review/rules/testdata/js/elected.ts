import { Etcd3, Election } from 'etcd3';
import { DataSource } from 'typeorm';
import os from 'node:os';

const client = new Etcd3();
const election: Election = client.election('assigner', 10);

export async function main(ds: DataSource): Promise<void> {
  const campaign = election.campaign(os.hostname());
  campaign.on('elected', async () => {
    setInterval(async () => {
      await ds.query('UPDATE partitions SET worker = $1 WHERE worker IS NULL', ['w1']); // want 11
    }, 5000);
  });
  campaign.on('error', (e) => console.error(e));
}
