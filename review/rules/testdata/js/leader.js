const { EtcdElection } = require('./election');
const db = require('./db');
const redis = require('redis').createClient();

let isLeader = false;

setInterval(async () => {
  const got = await redis.set('scheduler:leader', process.env.HOSTNAME, { NX: true, EX: 15 });
  isLeader = got === 'OK' || (await redis.get('scheduler:leader')) === process.env.HOSTNAME;
}, 5000);

setInterval(async () => {
  if (!isLeader) return;
  await db.query('UPDATE schedules SET next_run = next_run + 1 WHERE due'); // want 11
}, 1000);
