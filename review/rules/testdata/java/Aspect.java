package cases;

import java.util.Collections;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.params.SetParams;

class Aspect {
    private final JedisPool pool;
    private final RedissonClient redisson;
    private final OrderRepository orders;

    Aspect(JedisPool pool, RedissonClient redisson, OrderRepository orders) {
        this.pool = pool;
        this.redisson = redisson;
        this.orders = orders;
    }

    void jedis(Order order, String me) {
        String key = "order:lock:" + order.id();
        try (Jedis j = pool.getResource()) {
            if (!"OK".equals(j.set(key, me, new SetParams().nx()))) { // want 3
                return;
            }
            orders.save(order.paid()); // want 4
            j.eval("if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end", Collections.singletonList(key), Collections.singletonList(me)); // want 10
        }
    }

    void redisson(Order order) throws InterruptedException {
        RLock lock = redisson.getLock("order:" + order.id());
        boolean got = lock.tryLock(0, 5, TimeUnit.SECONDS); // want 9
        try {
            orders.save(order.paid()); // want 4
        } finally {
            if (got) {
                lock.unlock();
            }
        }
    }
}
