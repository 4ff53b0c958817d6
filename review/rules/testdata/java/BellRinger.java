package cases;

import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;
import org.springframework.jdbc.core.JdbcTemplate;

class BellRinger extends LeaderSelectorListenerAdapter {
    private final JdbcTemplate jdbc;
    private final List<String> towers;

    BellRinger(JdbcTemplate jdbc, List<String> towers) {
        this.jdbc = jdbc;
        this.towers = towers;
    }

    @Override
    public void takeLeadership(CuratorFramework zk) {
        towers.forEach(this::ring);
    }

    private void ring(String tower) {
        jdbc.update("UPDATE towers SET rung = rung + 1 WHERE name = ?", tower); // want 11
    }
}
