package cases;

import io.lettuce.core.RedisClient;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.function.Supplier;
import org.springframework.jdbc.core.JdbcTemplate;

class ProxyLock {
    private final RedisCommands<String, String> cmd;
    private final JdbcTemplate jdbc;

    ProxyLock(RedisClient client, JdbcTemplate jdbc) {
        this.cmd = client.connect().sync();
        this.jdbc = jdbc;
    }

    <T> T under(String name, Supplier<T> work) {
        String key = "proxy:lock:" + name;
        if (cmd.set(key, Thread.currentThread().getName(), SetArgs.Builder.nx().px(5000)) == null) {
            throw new IllegalStateException("busy " + name);
        }
        try {
            return work.get();
        } finally {
            cmd.del(key); // want 1
        }
    }

    int close(long month) {
        return under("month", () -> jdbc.update("UPDATE months SET closed = true WHERE id = ?", month)); // want 4
    }

    boolean migrate() {
        Boolean ok = jdbc.queryForObject("SELECT pg_try_advisory_lock(99)", Boolean.class); // want 13
        if (!Boolean.TRUE.equals(ok)) {
            return false;
        }
        try {
            jdbc.execute("ALTER TABLE months ADD COLUMN note text");
            return true;
        } finally {
            jdbc.execute("SELECT pg_advisory_unlock(99)"); // want 10
        }
    }
}
