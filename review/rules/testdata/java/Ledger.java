package x;

import java.sql.*;
import java.util.UUID;
import javax.sql.DataSource;
import org.redisson.api.*;

class Ledger {
  private final RedissonClient redisson;
  private final DataSource ds;

  Ledger(RedissonClient r, DataSource ds) { this.redisson = r; this.ds = ds; }

  void book(String account, long cents) throws Exception {
    RLock turn = redisson.getFairLock("book:" + account);
    if (!turn.tryLock()) return;
    try (Connection c = ds.getConnection()) {
      if (!turn.isHeldByCurrentThread()) throw new IllegalStateException();
      try (PreparedStatement p = c.prepareStatement("UPDATE accounts SET cents = ? WHERE id = ?")) {
        p.setLong(1, cents);
        p.setString(2, account);
        p.executeUpdate(); // want 4 12
      }
    } finally {
      turn.unlock();
    }
  }
}
