import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.DefaultRedisScript;
import org.springframework.data.redis.core.script.RedisScript;

class SafeRedis {
    private static final RedisScript<Long> UNLOCK = new DefaultRedisScript<>(
        "if redis.call('get', KEYS[1]) == ARGV[1] then\n" +
        "  return redis.call('del', KEYS[1])\n" +
        "else\n" +
        "  return 0\n" +
        "end", Long.class);

    private final StringRedisTemplate redis;

    SafeRedis(StringRedisTemplate redis) {
        this.redis = redis;
    }

    String lock(String name) {
        String owner = UUID.randomUUID().toString();
        Boolean ok = redis.opsForValue().setIfAbsent("lock:" + name, owner, Duration.ofSeconds(20));
        return Boolean.TRUE.equals(ok) ? owner : null;
    }

    boolean unlock(String name, String owner) {
        Long n = redis.execute(UNLOCK, List.of("lock:" + name), owner);
        return n != null && n == 1L;
    }
}
