import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.springframework.jdbc.core.JdbcTemplate;

class CuratorWrite {
    private final CuratorFramework zk;
    private final JdbcTemplate jdbc;

    CuratorWrite(CuratorFramework zk, JdbcTemplate jdbc) {
        this.zk = zk;
        this.jdbc = jdbc;
    }

    void archive(String tenant) throws Exception {
        InterProcessMutex mutex = new InterProcessMutex(zk, "/locks/archive/" + tenant);
        mutex.acquire(5, TimeUnit.SECONDS); // want 9
        try {
            jdbc.update("UPDATE tenants SET archived = true WHERE id = ?", tenant); // want 4
        } finally {
            mutex.release();
        }
    }
}
