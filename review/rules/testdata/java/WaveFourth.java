package cases;

import com.rabbitmq.client.Channel;
import jakarta.persistence.EntityManager;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.springframework.jdbc.core.simple.JdbcClient;

class WaveFourth {
    private final RedissonClient redisson;
    private final EntityManager em;
    private final Channel channel;
    private final JdbcClient jdbc;
    private final Clock clock;

    WaveFourth(RedissonClient redisson, EntityManager em, Channel channel, JdbcClient jdbc, Clock clock) {
        this.redisson = redisson;
        this.em = em;
        this.channel = channel;
        this.jdbc = jdbc;
        this.clock = clock;
    }

    void load(List<String> crates) throws Exception {
        RLock lock = redisson.getLock("crates");
        if (!lock.tryLock(0, 10, java.util.concurrent.TimeUnit.SECONDS)) { // want 7
            return;
        }
        try {
            for (String c : crates) {
                send(c);
            }
            new ProcessBuilder("loader").start().waitFor();
        } finally {
            if (lock.isHeldByCurrentThread()) {
                lock.unlock();
            }
        }
    }

    private void send(String crate) throws IOException {
        channel.basicPublish("", "crates", null, crate.getBytes()); // want 8
    }

    boolean moor(String berth, String ship) {
        Instant now = clock.instant();
        return jdbc.sql("UPDATE berths SET owner = ?, until = ? WHERE id = ? AND (owner IS NULL OR until < ?)")
            .params(ship, now.plus(Duration.ofMinutes(5)), berth, now) // want 6
            .update() == 1;
    }

    void cast(String berth) {
        jdbc.sql("UPDATE berths SET owner = NULL WHERE id = ?").param(berth).update(); // want 1
    }
}
