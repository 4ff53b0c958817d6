const Redis = require('ioredis');
const { Pool } = require('pg');

const redis = new Redis();
const pool = new Pool();

async function tick() {
  const locked = await redis.setnx('ledger:tick:lock', Date.now());
  if (locked === 0) return;
  await redis.expire('ledger:tick:lock', 60); // want 3
  try {
    await pool.query('UPDATE ledger SET balance = balance + interest'); // want 4
  } catch (e) {
    console.error(e);
  }
  redis.del('ledger:tick:lock'); // want 1
}

async function compact() {
  const { rows } = await pool.query('select pg_try_advisory_lock(911) as ok'); // want 13
  if (!rows[0].ok) return;
  try {
    await pool.query('delete from ledger where closed'); // want 4
  } finally {
    await pool.query('select pg_advisory_unlock(911)'); // want 10
  }
}

module.exports = { tick, compact };
