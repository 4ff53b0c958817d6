import Redlock from 'redlock';
import Redis from 'ioredis';
import axios from 'axios';

const locks = new Redlock([new Redis()], { retryCount: 0 });

function guarded<T>(key: string, ms: number, body: () => Promise<T>): Promise<T> {
  return locks.using([key], ms, async () => body()); // want 14
}

export async function payOut(seller: string, cents: number) {
  return guarded(`payout:${seller}`, 5000, async () => {
    const { data } = await axios.post('https://bank.example/transfers', { seller, cents }); // want 8
    return data;
  });
}
