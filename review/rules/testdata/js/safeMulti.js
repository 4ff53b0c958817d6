const { createClient, WatchError } = require('redis');

async function release(pool, key, owner) {
  return pool.executeIsolated(async (client) => {
    await client.watch(key);
    if ((await client.get(key)) !== owner) {
      await client.unwatch();
      return false;
    }
    try {
      await client.multi().del(key).exec();
      return true;
    } catch (err) {
      if (err instanceof WatchError) return false;
      throw err;
    }
  });
}

async function acquire(client, key, owner) {
  return (await client.set(key, owner, { NX: true, PX: 30000 })) === 'OK';
}

module.exports = { acquire, release };
