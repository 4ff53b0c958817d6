import java.util.concurrent.TimeUnit;
import org.redisson.api.RFencedLock;
import org.redisson.api.RedissonClient;
import org.springframework.jdbc.core.JdbcTemplate;

class SafeFenced {
    private final RedissonClient redisson;
    private final JdbcTemplate jdbc;

    SafeFenced(RedissonClient redisson, JdbcTemplate jdbc) {
        this.redisson = redisson;
        this.jdbc = jdbc;
        this.jdbc.setQueryTimeout(10);
    }

    void publish(String doc, String body) {
        RFencedLock lock = redisson.getFencedLock("publish:" + doc);
        Long token = lock.tryLockAndGetToken(1, 20, TimeUnit.SECONDS);
        if (token == null) {
            return;
        }
        try {
            int n = jdbc.update("UPDATE docs SET body = ?, token = ? WHERE id = ? AND token <= ?", body, token, doc, token);
            if (n == 0) {
                throw new IllegalStateException("superseded");
            }
        } finally {
            lock.unlock();
        }
    }
}
