const mongoose = require('mongoose');
const { createClient } = require('redis');
const axios = require('axios');
const { Sequelize } = require('sequelize');
const sequelize = new Sequelize('postgres://x');
const redis = createClient();

const LockSchema = new mongoose.Schema({ _id: String, owner: String, expiresAt: Date });
const Lock = mongoose.model('Lock', LockSchema);

async function lockDoc(id, me) {
  const existing = await Lock.findOne({ _id: id });
  if (existing && existing.expiresAt > new Date()) return false; // want 6
  await Lock.updateOne({ _id: id }, { $set: { owner: me, expiresAt: new Date(Date.now() + 30000) } }, { upsert: true }); // want 3 6
  return true;
}

async function withLock(name, fn) {
  const token = Math.random().toString(36);
  const ok = await redis.set(name, token, { NX: true, EX: 30 });
  if (!ok) throw new Error('busy');
  try {
    return await fn();
  } finally {
    const v = await redis.get(name);
    if (v === token) await redis.del(name); // want 2
  }
}

async function order(id) {
  await withLock(`order:${id}`, async () => {
    await axios.post('https://pay.invalid/charge', { id }); // want 8
    await sequelize.query('UPDATE orders SET paid = true WHERE id = ?', { replacements: [id] }); // want 4
  });
}

async function adv() {
  const [[row]] = await sequelize.query('SELECT pg_try_advisory_lock(1) AS ok'); // want 13
  if (!row.ok) return;
  try { await job(); } finally { await sequelize.query('SELECT pg_advisory_unlock(1)'); } // want 10
}

class Leader {
  async tick() {
    this.isLeader = (await redis.set('sched:leader', this.id, { NX: true, EX: 10 })) === 'OK';
    if (this.isLeader) await this.db.collection('shards').updateMany({ node: null }, { $set: { node: this.id } }); // want 11
  }
}
async function job() {}
