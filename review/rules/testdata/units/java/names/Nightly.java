import org.springframework.data.redis.core.StringRedisTemplate;
import java.time.Duration;

class Nightly {
    private final StringRedisTemplate redis;
    private final Totals totals;

    Nightly(StringRedisTemplate redis, Totals totals) {
        this.redis = redis;
        this.totals = totals;
    }

    void run() {
        Boolean got = redis.opsForValue().setIfAbsent(LockNames.NIGHTLY, "x", Duration.ofMinutes(5));
        if (!Boolean.TRUE.equals(got)) {
            return;
        }
        try {
            totals.fold();
        } finally {
            redis.delete(LockNames.NIGHTLY); // want 1
        }
    }
}
