package cases;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.kafka.core.KafkaTemplate;

class FailOpenForms {
    private static final Logger log = LoggerFactory.getLogger(FailOpenForms.class);
    private final RedisTemplate<String, String> redis;
    private final KafkaTemplate<String, String> kafka;
    private final RedisLockRegistry registry;

    FailOpenForms(RedisTemplate<String, String> redis, KafkaTemplate<String, String> kafka, RedisLockRegistry registry) {
        this.redis = redis;
        this.kafka = kafka;
        this.registry = registry;
    }

    boolean tryLock(String key, String me) {
        try {
            Boolean ok = redis.opsForValue().setIfAbsent(key, me, Duration.ofSeconds(30));
            return ok == null || ok;
        } catch (RedisConnectionFailureException e) { // want 9
            log.warn("redis is away", e);
            return true;
        }
    }

    void unlock(String key, String me) {
        String now = redis.opsForValue().get(key);
        if (now != null && now.equals(me)) {
            redis.unlink(key); // want 2
        }
    }

    void announce(String id) throws InterruptedException {
        java.util.concurrent.locks.Lock lock = registry.obtain("announce:" + id);
        lock.tryLock(2, java.util.concurrent.TimeUnit.SECONDS); // want 9
        try {
            kafka.send("announcements", id); // want 8
        } finally {
            lock.unlock();
        }
    }
}
