package cases;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.ValueOperations;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.web.client.RestTemplate;

@Service
public class TariffGate {
    private static final Duration HOLD = Duration.ofSeconds(20);
    private final StringRedisTemplate redis;
    private final JdbcTemplate jdbc;
    private final RestTemplate rest = new RestTemplate();

    TariffGate(StringRedisTemplate redis, JdbcTemplate jdbc) {
        this.redis = redis;
        this.jdbc = jdbc;
    }

    private Optional<String> enter(String key) {
        String me = UUID.randomUUID().toString();
        ValueOperations<String, String> ops = redis.opsForValue();
        return Boolean.TRUE.equals(ops.setIfAbsent(key, me, HOLD)) ? Optional.of(me) : Optional.empty(); // want 7
    }

    private void leave(String key, String me) {
        if (me.equals(redis.opsForValue().get(key))) {
            redis.delete(key); // want 2
        }
    }

    public void refresh(String code) {
        String key = "tariff:lock:" + code;
        Optional<String> me = enter(key);
        if (me.isEmpty()) {
            return;
        }
        try {
            Integer price = rest.getForObject("https://tariffs.example/" + code, Integer.class);
            jdbc.update("UPDATE tariffs SET price = ?, at = now() WHERE code = ?", price, code); // want 4
        } finally {
            leave(key, me.get());
        }
    }
}
