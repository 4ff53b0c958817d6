import axios from 'axios';
import Redlock from 'redlock';

const courier = axios.create({ baseURL: 'https://courier', timeout: 45_000 });

export async function dispatch(redlock: Redlock, id: string) {
  await redlock.using([`dispatch:${id}`], 10_000, async () => { // want 14 7
    await courier.post('/shipments', { id }); // want 8
  });
}
