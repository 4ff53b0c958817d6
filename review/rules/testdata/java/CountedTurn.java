package x;

import java.util.concurrent.atomic.AtomicLong;
import org.springframework.jdbc.core.JdbcTemplate;

public class Leases {
    private final AtomicLong turns = new AtomicLong();
    private final JdbcTemplate jdbc;

    Leases(JdbcTemplate jdbc) { this.jdbc = jdbc; }

    long take(String name, String me) {
        int n = jdbc.update("UPDATE leases SET holder = ?, expires_at = now() + interval '30 s' WHERE name = ? AND expires_at < now()", me, name);
        if (n == 0) {
            throw new IllegalStateException("held");
        }
        return turns.incrementAndGet(); // want 5
    }

    boolean write(long id, String body, long turn) {
        return jdbc.update("UPDATE docs SET body = ?, fence = ? WHERE id = ? AND fence <= ?", body, turn, id, turn) == 1;
    }
}
