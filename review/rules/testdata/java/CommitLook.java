package x;

import java.util.concurrent.TimeUnit;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import java.sql.Connection;
import java.sql.PreparedStatement;

public class Renamer {
    private final RedissonClient redisson;

    Renamer(RedissonClient redisson) { this.redisson = redisson; }

    void rename(Connection conn, long id, String name) throws Exception {
        RLock lock = redisson.getLock("account-" + id);
        if (!lock.tryLock(0, 30, TimeUnit.SECONDS)) {
            return;
        }
        try {
            conn.setAutoCommit(false);
            try (PreparedStatement ps = conn.prepareStatement("UPDATE accounts SET name = ? WHERE id = ?")) {
                ps.setString(1, name);
                ps.setLong(2, id);
                ps.executeUpdate(); // want 4
            }
            if (!lock.isHeldByCurrentThread()) {
                conn.rollback();
                return;
            }
            conn.commit(); // want 12
        } finally {
            lock.unlock();
        }
    }
}
