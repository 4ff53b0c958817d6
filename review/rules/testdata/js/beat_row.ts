import mongoose from 'mongoose';

const Seat = mongoose.model('Seat', new mongoose.Schema({ _id: String, sitter: String, heard: Date }));
const Task = mongoose.model('Task', new mongoose.Schema({ done: Boolean }));

export class Chair {
  sitting = false;
  constructor(private readonly me: string) {
    setInterval(() => this.listen(), 4000);
  }

  private async listen() {
    const seat = await Seat.findOneAndUpdate(
      { _id: 'chair', $expr: { $or: [{ $eq: ['$sitter', this.me] }, { $lt: ['$heard', { $subtract: ['$$NOW', 12000] }] }] } },
      [{ $set: { sitter: this.me, heard: '$$NOW' } }],
      { new: true },
    );
    this.sitting = seat?.sitter === this.me;
  }
}

export class Tasks {
  constructor(private readonly chair: Chair) {}

  async close(id: string) {
    if (!this.chair.sitting) return;
    await Task.updateOne({ _id: id }, { $set: { done: true } }); // want 11
  }
}
