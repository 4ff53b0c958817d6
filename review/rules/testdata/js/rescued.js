const { createClient } = require('redis');
const kv = createClient();
const OURS = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`;

exports.during = async (what, me, fn) => {
  const got = await kv.set(what, me, { NX: true, PX: 4000 }).catch((e) => { // want 9
    console.warn(e);
    return 'OK';
  });
  if (got !== 'OK') return;
  try {
    await fn(AbortSignal.timeout(3000));
  } finally {
    const n = await kv.eval(OURS, { keys: [what], arguments: [me] });
    if (!n) console.warn('late');
  }
};
