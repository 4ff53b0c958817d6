const { DataTypes, Op } = require('sequelize');
const { sequelize } = require('./db');

const JobLock = sequelize.define('job_lock', {
  job: { type: DataTypes.STRING, primaryKey: true },
  holder: DataTypes.STRING,
  expires_at: DataTypes.DATE,
});

async function obtain(job, holder, ms) {
  const [n] = await JobLock.update(
    { holder, expires_at: new Date(Date.now() + ms) }, // want 6
    { where: { job, expires_at: { [Op.lt]: new Date() } } },
  );
  return n === 1;
}

async function giveBack(job) {
  await JobLock.update({ holder: null, expires_at: null }, { where: { job } }); // want 1
}

module.exports = { obtain, giveBack };
