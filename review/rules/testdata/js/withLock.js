const Redis = require('ioredis');
const { nanoid } = require('nanoid');

const redis = new Redis(process.env.REDIS);

const withLock = async (resource, ms, fn) => {
  const value = nanoid();
  const got = await redis.set(`locks:${resource}`, value, 'PX', ms, 'NX');
  if (!got) throw new Error(`${resource} is locked`);
  try {
    return await fn();
  } finally {
    if ((await redis.get(`locks:${resource}`)) === value) {
      await redis.del(`locks:${resource}`); // want 2
    }
  }
};

module.exports = { withLock };
