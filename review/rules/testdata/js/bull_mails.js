const { Worker } = require('bullmq');
const IORedis = require('ioredis');
const Redlock = require('redlock').default;
const sg = require('@sendgrid/mail');

const a = new IORedis(6379, 'a'), b = new IORedis(6379, 'b'), c = new IORedis(6379, 'c');
const quorum = new Redlock([a, b, c]);

new Worker('mails', async (job) => {
  const held = await quorum.acquire([`mail:${job.data.user}`], 3000); // want 7 14
  try {
    await sg.send({ to: job.data.user, text: job.data.text }); // want 8
  } finally {
    await held.release().catch(() => {}); // want 10
  }
}, { connection: a });
