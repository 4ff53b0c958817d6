import org.redisson.api.RedissonClient;
import org.redisson.api.RFencedLock;
import org.springframework.jdbc.core.JdbcTemplate;

class RisingWriter {
    RedissonClient redisson; JdbcTemplate db;
    void run(String name, String location) {
        RFencedLock lock = redisson.getFencedLock("sets:" + name);
        Long n = lock.lockAndGetToken();
        try {
            int rows = db.update("UPDATE sets SET location = ?, written_by = ? WHERE name = ? AND written_by <= ?", location, n, name, n);
            if (rows != 1) throw new IllegalStateException("stale");
        } finally { lock.unlock(); }
    }
    void bad(String name, String location) {
        RFencedLock lock = redisson.getFencedLock("bad:" + name);
        Long n = lock.lockAndGetToken();
        try {
            db.update("UPDATE sets SET location = ?, written_by = ? WHERE name = ?", location, n, name); // want 4
        } finally { lock.unlock(); }
    }
}
