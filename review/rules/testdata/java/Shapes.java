package cases;

import java.util.Collections;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.CuratorFramework;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.mail.javamail.JavaMailSender;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.SetParams;

class Shapes {
    private final Jedis jedis;
    private final JdbcTemplate jdbc;
    private final CuratorFramework curator;
    private final LeaderLatch latch;
    private final RedissonClient redisson;
    private final JavaMailSender mailSender;

    void rebuild(String owner) {
        String ok = jedis.set("lock:rebuild", owner, SetParams.setParams().nx().ex(60));
        if (!"OK".equals(ok)) {
            return;
        }
        try {
            jdbc.update("UPDATE catalog SET built = now()"); // want 4
        } finally {
            if (owner.equals(jedis.get("lock:rebuild"))) {
                jedis.del("lock:rebuild"); // want 2
            }
        }
    }

    void ledger() throws Exception {
        InterProcessMutex mutex = new InterProcessMutex(curator, "/ledger");
        mutex.acquire(5, TimeUnit.SECONDS); // want 9
        try {
            jdbc.update("UPDATE ledger SET closed = true"); // want 4
        } finally {
            mutex.release();
        }
    }

    void lead() {
        if (!latch.hasLeadership()) {
            return;
        }
        jdbc.update("DELETE FROM sessions WHERE seen < ?", 1); // want 11 12
    }

    void mails() {
        RLock lock = redisson.getLock("mails");
        if (!lock.tryLock()) {
            return;
        }
        try {
            mailSender.send(message()); // want 8
        } finally {
            lock.forceUnlock(); // want 1
        }
    }

    private Object message() {
        return null;
    }

    void session() {
        jdbc.queryForObject("SELECT GET_LOCK('report', 10)", Integer.class); // want 9 13
        jdbc.update("UPDATE report SET state = 'done'"); // want 4
        jdbc.queryForObject("SELECT RELEASE_LOCK('report')", Integer.class); // want 10
    }
}
