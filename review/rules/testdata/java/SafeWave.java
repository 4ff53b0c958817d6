package app.safe;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.StampedLock;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.client.RestTemplate;

class SafeThings {
    private final Map<String, Lock> locks = new ConcurrentHashMap<>();
    private final StampedLock stamped = new StampedLock();
    private final Semaphore gate = new Semaphore(1);
    private final StringRedisTemplate redis;
    private final JdbcTemplate jdbc;
    private final RestTemplate http;
    private static final String CAD = "if redis.call('get', KEYS[1]) == ARGV[1] then\n"
            + "  return redis.call('del', KEYS[1])\n"
            + "else\n"
            + "  return 0\n"
            + "end";

    SafeThings(StringRedisTemplate redis, JdbcTemplate jdbc, RestTemplate http) {
        this.redis = redis;
        this.jdbc = jdbc;
        this.http = http;
    }

    void perKey(String key) {
        Lock l = locks.computeIfAbsent(key, k -> new ReentrantLock());
        l.lock();
        try {
            http.postForObject("https://x.invalid", key, String.class);
        } finally {
            l.unlock();
        }
    }

    long read() {
        long stamp = stamped.tryOptimisticRead();
        if (!stamped.validate(stamp)) {
            stamp = stamped.readLock();
            stamped.unlockRead(stamp);
        }
        return stamp;
    }

    void one() throws InterruptedException {
        if (gate.tryAcquire(1, TimeUnit.SECONDS)) {
            try {
                jdbc.update("UPDATE t SET n = n + 1");
            } finally {
                gate.release();
            }
        }
    }

    boolean release(String key, String owner) {
        Long n = redis.execute(RedisScript.of(CAD, Long.class), List.of(key), owner);
        return Long.valueOf(1).equals(n);
    }

    void evict(String id) {
        redis.delete("user:" + id);
        redis.opsForValue().set("lockout:" + id, "1");
    }

    void optimistic(long id, long version) {
        int n = jdbc.update("UPDATE doc SET body = 'x', version = version + 1 WHERE id = ? AND version = ?", id, version);
        if (n == 0) {
            throw new OptimisticLockingFailureException("doc " + id);
        }
    }
}
