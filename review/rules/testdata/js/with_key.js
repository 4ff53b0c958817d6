const redis = require('redis');
const { promisify } = require('util');
const client = redis.createClient();
const setnx = promisify(client.setnx).bind(client);
const expire = promisify(client.expire).bind(client);
const del = promisify(client.del).bind(client);

async function withKey(key, fn) {
  if ((await setnx(key, process.pid)) === 0) return;
  await expire(key, 20); // want 3
  try {
    await fn();
  } finally {
    await del(key); // want 1
  }
}

module.exports = (pool) => ({
  close: (day) => withKey(`close:${day}`, () => pool.query('UPDATE tills SET closed = 1 WHERE day = ?', [day])), // want 4
});
