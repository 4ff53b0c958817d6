package x;

import java.sql.*;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;

class Berth {
  private final JdbcTemplate jdbc;
  private final String me;

  Berth(JdbcTemplate jdbc, String me) { this.jdbc = jdbc; this.me = me; }

  boolean moor(int id) {
    long now = System.currentTimeMillis();
    int n = jdbc.update("UPDATE berth SET vessel = ?, sails = ? WHERE id = ? AND sails < ?", me, now + 60_000, id, now); // want 6
    return n == 1;
  }

  void cast(int id) {
    jdbc.update("UPDATE berth SET sails = 0 WHERE id = ?", id); // want 1
  }
}
