const crypto = require('crypto');
const Redis = require('ioredis');
const redis = new Redis();
const GIVE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0";

async function withLock(name, work) {
  const key = `lock:${name}`;
  const tag = crypto.randomUUID();
  if ((await redis.set(key, tag, 'PX', 30000, 'NX')) !== 'OK') throw new Error('busy');
  const mine = async () => (await redis.get(key)) === tag;
  try {
    return await work(mine);
  } finally {
    if ((await redis.eval(GIVE, 1, key, tag)) === 0) console.error('lost');
  }
}

async function rename(pool, account, name) {
  await withLock(`account-${account}`, async (stillMine) => {
    if (!(await stillMine())) throw new Error('lost');
    await pool.query('UPDATE accounts SET name = $1 WHERE id = $2', [name, account]); // want 4 12
  });
}
module.exports = { rename };
