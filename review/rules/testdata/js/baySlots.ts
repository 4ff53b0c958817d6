import mongoose, { Schema } from 'mongoose';

const Bays = mongoose.model('Bay', new Schema({ _id: String, worker: String, until: Date }));

export async function occupy(bay: string, worker: string): Promise<boolean> {
  const row = await Bays.findById(bay);
  if (row.until.getTime() > Date.now()) { // want 6
    return false;
  }
  row.worker = worker;
  row.until = new Date(Date.now() + 60_000); // want 6
  await row.save(); // want 3
  return true;
}

export async function leave(bay: string, worker: string): Promise<boolean> {
  const { deletedCount } = await Bays.deleteOne({ _id: bay, worker });
  return deletedCount === 1;
}
