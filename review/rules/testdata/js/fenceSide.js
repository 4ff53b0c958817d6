import mongoose from 'mongoose';
const Panel = mongoose.model('Panel', new mongoose.Schema({ volts: Number, fence: Number }));

export async function setVolts(id, volts, fence) {
  const panel = await Panel.findById(id);
  if (panel.fence > fence) {
    throw new Error('stale');
  }
  panel.volts = volts;
  panel.fence = fence;
  await panel.save(); // want 15
}
