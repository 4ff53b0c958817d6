import { PrismaClient } from '@prisma/client';
const prisma = new PrismaClient();

export class Desk {
  constructor(private me: string) {}

  async open(id: number) {
    const { count } = await prisma.desk.updateMany({
      where: { id, OR: [{ clerk: null }, { closesAt: { lt: new Date() } }] },
      data: { clerk: this.me, closesAt: new Date(Date.now() + 60_000) }, // want 6
    });
    return count === 1;
  }

  async close(id: number) {
    await prisma.desk.update({ where: { id }, data: { clerk: null } }); // want 1
  }

  async stillMine(id: number) {
    const d = await prisma.desk.findUnique({ where: { id } });
    return d?.clerk === this.me;
  }

  async pay(id: number, cents: number) {
    if (!(await this.stillMine(id))) throw new Error('closed');
    await prisma.till.update({ where: { id }, data: { cents } }); // want 12
  }
}
