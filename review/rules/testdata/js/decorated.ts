import Redis from 'ioredis';
import { v4 as uuid } from 'uuid';

const store = new Redis(process.env.REDIS_URL!);

export function Exclusive(name: string, seconds = 60): MethodDecorator {
  return (_target, _prop, descriptor: PropertyDescriptor) => {
    const original = descriptor.value;
    descriptor.value = async function (...args: unknown[]) {
      const me = uuid();
      const ok = await store.set(name, me, 'EX', seconds, 'NX');
      if (!ok) return undefined;
      try {
        return await original.apply(this, args);
      } finally {
        if ((await store.get(name)) === me) {
          await store.del(name); // want 2
        }
      }
    };
    return descriptor;
  };
}
