package app.jobs;

import java.time.Duration;
import java.util.UUID;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import java.util.Map;

@Component
public class LockRegistryJob {
    private static final String KEY = "job:interest";
    private final RedisTemplate<String, String> template;
    private final NamedParameterJdbcTemplate jdbc;

    public LockRegistryJob(RedisTemplate<String, String> template, NamedParameterJdbcTemplate jdbc) {
        this.template = template;
        this.jdbc = jdbc;
    }

    @Scheduled(cron = "0 0 3 * * *")
    public void accrue() {
        final String id = UUID.randomUUID().toString();
        final Boolean mine = template.opsForValue().setIfAbsent(KEY, id, Duration.ofMinutes(2));
        if (!Boolean.TRUE.equals(mine)) {
            return;
        }
        try {
            jdbc.update("UPDATE accounts SET interest = interest + balance * :r", Map.of("r", 0.01)); // want 4
        } finally {
            if (id.equals(template.opsForValue().get(KEY))) {
                template.delete(KEY); // want 2
            }
        }
    }
}
