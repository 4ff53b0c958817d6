import { createClient } from 'redis';
import { randomBytes } from 'crypto';

const redis = createClient();
const RELEASE = `if redis.call("get",KEYS[1]) == ARGV[1] then return redis.call("del",KEYS[1]) else return 0 end`;

export async function longImport(file: string, work: () => Promise<void>) {
  const key = `import-lock:${file}`;
  const me = randomBytes(16).toString('hex');
  if (!(await redis.set(key, me, { NX: true, EX: 20 }))) throw new Error('busy');
  const timer = setInterval(() => redis.expire(key, 20), 5000); // want 16
  try {
    await work();
  } finally {
    clearInterval(timer);
    const n = await redis.eval(RELEASE, { keys: [key], arguments: [me] });
    if (n !== 1) throw new Error('lock lost');
  }
}
