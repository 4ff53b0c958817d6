import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.springframework.data.redis.core.StringRedisTemplate;

class SafeLocalLocks {
    private final Map<String, Lock> locks = new ConcurrentHashMap<>();
    private final StringRedisTemplate redis;

    SafeLocalLocks(StringRedisTemplate redis) {
        this.redis = redis;
    }

    void evict(String tenant) throws InterruptedException {
        Lock lock = locks.computeIfAbsent(tenant, t -> new ReentrantLock());
        if (!lock.tryLock(1, TimeUnit.SECONDS)) {
            return;
        }
        try {
            redis.delete("tenant-cache:" + tenant);
        } finally {
            lock.unlock();
        }
    }

    boolean firstSeen(String id) {
        return Boolean.TRUE.equals(redis.opsForValue().setIfAbsent("seen:" + id, "1", java.time.Duration.ofDays(1)));
    }
}
