package app.hz;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.cp.lock.FencedLock;
import com.hazelcast.map.IMap;
import org.springframework.jdbc.core.JdbcTemplate;

class HazelcastJob {
    private final HazelcastInstance hz;
    private final JdbcTemplate jdbc;

    HazelcastJob(HazelcastInstance hz, JdbcTemplate jdbc) {
        this.hz = hz;
        this.jdbc = jdbc;
    }

    void viaMap(String sku) {
        IMap<String, Integer> stock = hz.getMap("stock");
        stock.lock(sku);
        try {
            jdbc.update("UPDATE stock SET n = n - 1 WHERE sku = ?", sku); // want 4
        } finally {
            stock.forceUnlock(sku); // want 1
        }
    }

    boolean fenced(String sku) {
        FencedLock lock = hz.getCPSubsystem().getLock(sku);
        long fence = lock.lockAndGetFence();
        try {
            return jdbc.update("UPDATE stock SET n = n - 1, fence = ? WHERE sku = ? AND fence <= ?", fence, sku, fence) == 1;
        } finally {
            lock.unlock();
        }
    }
}
