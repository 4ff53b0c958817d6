import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.springframework.jdbc.core.JdbcTemplate;

class CuratorLeader {
    private final LeaderLatch latch;
    private final JdbcTemplate jdbc;

    CuratorLeader(CuratorFramework zk, JdbcTemplate jdbc) throws Exception {
        this.latch = new LeaderLatch(zk, "/billing/leader");
        this.jdbc = jdbc;
        latch.start();
    }

    void tick() {
        if (!latch.hasLeadership()) {
            return;
        }
        jdbc.update("UPDATE billing_cursor SET pos = pos + 500"); // want 11 12
    }
}
