import { MongoClient } from 'mongodb';
const busy = new MongoClient(process.env.URL).db('x').collection('busy');
const accounts = new MongoClient(process.env.URL).db('x').collection('accounts');

export async function settle(id) {
  try {
    await busy.insertOne({ _id: id, since: new Date() }); // want 3
  } catch (e) {
    if (e.code === 11000) return false;
    throw e;
  }
  try {
    await accounts.updateOne({ _id: id }, { $set: { settled: true } }); // want 4
  } finally {
    await busy.deleteOne({ _id: id }); // want 1
  }
  return true;
}
