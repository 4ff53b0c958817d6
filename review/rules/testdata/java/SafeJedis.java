import java.util.Collections;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.params.SetParams;

class SafeJedis {
    static final String SCRIPT =
        """
        if redis.call('GET', KEYS[1]) == ARGV[1] then
          return redis.call('DEL', KEYS[1])
        end
        return 0
        """;
    private final JedisPool pool;

    SafeJedis(JedisPool pool) {
        this.pool = pool;
    }

    boolean tryLock(String key, String owner, long ms) {
        try (Jedis jedis = pool.getResource()) {
            return "OK".equals(jedis.set(key, owner, new SetParams().nx().px(ms)));
        }
    }

    boolean unlock(String key, String owner) {
        try (Jedis jedis = pool.getResource()) {
            Object n = jedis.eval(SCRIPT, Collections.singletonList(key), Collections.singletonList(owner));
            return Long.valueOf(1).equals(n);
        }
    }
}
