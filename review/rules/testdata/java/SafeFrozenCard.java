import org.springframework.data.redis.core.StringRedisTemplate;
import java.time.Duration;

class CardLock {
    StringRedisTemplate redis;
    void freeze(String card) {
        redis.opsForValue().setIfAbsent("card:lock:" + card, "frozen", Duration.ofDays(1));
    }
    void check(String card) {
        if (Boolean.TRUE.equals(redis.hasKey("card:lock:" + card))) throw new IllegalStateException("frozen");
    }
    void unfreeze(String card) {
        redis.delete("card:lock:" + card);
    }
}
