package x;

import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.jdbc.core.JdbcTemplate;

class FenceJava {
  private static final AtomicLong TERMS = new AtomicLong();
  private final JdbcTemplate jdbc;
  FenceJava(JdbcTemplate jdbc) { this.jdbc = jdbc; }

  long begin() { return TERMS.incrementAndGet(); } // want 5

  boolean write(long term, String body) {
    return jdbc.update("UPDATE page SET body = ?, term = ? WHERE id = 1 AND term <= ?", body, term, term) == 1;
  }

  void run(String body) {
    long term = begin();
    write(term, body);
  }
}
