import { Etcd3 } from 'etcd3';
import { db } from './db';

const etcd = new Etcd3();

export async function main() {
  const election = etcd.election('chief', 10);
  const campaign = election.campaign(process.env.POD_NAME!);
  campaign.on('elected', async () => {
    await db.query('UPDATE plans SET status = $1', ['running']); // want 11
  });
  campaign.on('error', (e) => console.error(e));
}
