const { Mutex } = require('async-mutex');
const Redis = require('ioredis');

const redis = new Redis();
const mutex = new Mutex();
const locks = new Map();

async function inProcess(key, fn) {
  const release = await mutex.acquire();
  try {
    if (!locks.has(key)) locks.set(key, true);
    return await fn();
  } finally {
    locks.delete(key);
    release();
  }
}

async function once(event) {
  const fresh = await redis.set(`event:${event.id}`, 1, 'EX', 3600, 'NX');
  return fresh === 'OK';
}

async function throttle(userId) {
  if (await redis.exists(`throttle:${userId}`)) return false;
  await redis.set(`throttle:${userId}`, 1, 'EX', 5);
  return true;
}

const DROP = `
  if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end
  return 0`;

async function letGo(name, owner) {
  const n = await redis.eval(DROP, 1, `lock:${name}`, owner);
  if (n !== 1) throw new Error(`${name} was lost`);
}

async function hold(name, owner) {
  return (await redis.set(`lock:${name}`, owner, 'PX', 15000, 'NX')) === 'OK';
}

module.exports = { inProcess, once, throttle, letGo, hold };
