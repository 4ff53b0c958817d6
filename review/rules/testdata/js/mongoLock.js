const mongoose = require('mongoose');

const lockSchema = new mongoose.Schema({ _id: String, owner: String, expiresAt: Date });
const Lock = mongoose.model('Lock', lockSchema);

async function acquire(name, owner, ms) {
  const existing = await Lock.findOne({ _id: name });
  if (existing && existing.expiresAt > new Date()) { // want 6
    return false;
  }
  await Lock.updateOne({ _id: name }, { owner, expiresAt: new Date(Date.now() + ms) }, { upsert: true }); // want 3 6
  return true;
}

async function release(name) {
  await Lock.deleteOne({ _id: name }); // want 1
}

module.exports = { acquire, release };
