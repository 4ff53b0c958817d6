import mongoose from 'mongoose';

// The save fails if somebody else has saved since: its version is in the condition.
const Purse = mongoose.model('Purse', new mongoose.Schema({ cents: Number, epoch: Number }, { optimisticConcurrency: true }));

export async function draw(id, cents) {
  const purse = await Purse.findById(id);
  if (purse.cents < cents) {
    throw new Error('too little');
  }
  purse.cents -= cents;
  await purse.save();
}
