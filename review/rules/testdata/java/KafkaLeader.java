import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.Scheduled;

class KafkaLeader {
    private final AtomicBoolean leading = new AtomicBoolean();
    private final StringRedisTemplate redis;
    private final JdbcTemplate jdbc;
    private final String me = java.util.UUID.randomUUID().toString();

    KafkaLeader(StringRedisTemplate redis, JdbcTemplate jdbc) {
        this.redis = redis;
        this.jdbc = jdbc;
    }

    @Scheduled(fixedDelay = 5000)
    void elect() {
        leading.set(Boolean.TRUE.equals(
            redis.opsForValue().setIfAbsent("offsets:leader", me, java.time.Duration.ofSeconds(15))));
    }

    @Scheduled(fixedDelay = 1000)
    void advance() {
        if (leading.get()) {
            jdbc.update("UPDATE offsets SET committed = committed + 1"); // want 11
        }
    }
}
