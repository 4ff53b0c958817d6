package cases;

import java.sql.Connection;
import java.sql.ResultSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import redis.clients.jedis.Jedis;

class SafeMore {
    private static final String DROP =
            "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end";
    private final ConcurrentHashMap<String, ReentrantLock> locks = new ConcurrentHashMap<>();
    private final DataSource source;

    void local(String key, Runnable work) {
        ReentrantLock lock = locks.computeIfAbsent(key, k -> new ReentrantLock());
        lock.lock();
        try {
            work.run();
        } finally {
            lock.unlock();
        }
    }

    boolean drop(Jedis jedis, String key, String owner) {
        return Long.valueOf(1).equals(jedis.eval(DROP, 1, key, owner));
    }

    void oneConnection(Runnable work) throws Exception {
        try (Connection c = source.getConnection(); var s = c.createStatement()) {
            s.execute("SELECT pg_advisory_lock(7)");
            try {
                work.run();
            } finally {
                try (ResultSet r = s.executeQuery("SELECT pg_advisory_unlock(7)")) {
                    r.next();
                    if (!r.getBoolean(1)) {
                        throw new IllegalStateException("not held");
                    }
                }
            }
        }
    }

    boolean seen(Jedis jedis, String id) {
        return jedis.setnx("seen:" + id, "1") == 0;
    }
}
