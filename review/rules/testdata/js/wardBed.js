const { DataTypes, Sequelize } = require('sequelize');
const db = new Sequelize(process.env.DB);
const Bed = db.define('ward_bed', { bed: { type: DataTypes.STRING, primaryKey: true }, nurse: DataTypes.STRING, freeAt: DataTypes.DATE });

exports.take = async (bed, nurse) => {
  const [row] = await Bed.findOrCreate({ where: { bed } });
  if (row.nurse && row.freeAt > new Date()) return false; // want 6
  row.nurse = nurse;
  row.freeAt = new Date(Date.now() + 120000); // want 6
  await row.save(); // want 3
  return true;
};

exports.give = async (bed, nurse) => {
  const [n] = await Bed.update({ nurse: null, freeAt: null }, { where: { bed, nurse } });
  return n === 1;
};
