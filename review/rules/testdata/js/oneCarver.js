const Redis = require('ioredis');
const { Pool } = require('pg');

const redis = new Redis();
const pool = new Pool();

// alone gives back a function that runs what it was handed, one carver at a time.
function alone(client, work) {
  return async function run(block, ...more) {
    const key = `carver:${block}`;
    if ((await client.set(key, 'me', 'PX', 60000, 'NX')) !== 'OK') return undefined;
    try {
      return await work(block, ...more);
    } finally {
      await client.del(key); // want 1
    }
  };
}

const carve = alone(redis, async (block, grams) => {
  await pool.query('UPDATE blocks SET weight = $2 WHERE id = $1', [block, grams]); // want 4
});

async function ask(question) {
  return question;
}

module.exports = { carve, ask };
