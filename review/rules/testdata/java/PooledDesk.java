package x;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

@Repository
class PooledDesk {
  private final JdbcClient jdbc;
  PooledDesk(JdbcClient jdbc) { this.jdbc = jdbc; }

  boolean enter(long n) {
    return jdbc.sql("SELECT pg_try_advisory_lock(?)").param(n).query(Boolean.class).single(); // want 13
  }

  boolean exit(long n) {
    return jdbc.sql("SELECT pg_advisory_unlock(?)").param(n).query(Boolean.class).single();
  }
}
