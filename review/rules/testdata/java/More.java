package cases;
import java.sql.*;
import java.util.*;
import java.util.concurrent.TimeUnit;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.scheduling.annotation.Scheduled;
import org.redisson.RedissonRedLock;

class More {
  RedisCommands<String,String> commands; KafkaTemplate<String,String> kafka; RedisLockRegistry registry; OrderRepository orders; RedisTemplate<String,String> redisTemplate;

  void lettuce(String id) {
    String token = UUID.randomUUID().toString();
    String res = commands.set("lock:" + id, token, SetArgs.Builder.nx().px(30000)); // want 7
    if (res == null) return;
    try {
      kafka.send("orders", id); // want 8
    } finally {
      commands.del("lock:" + id); // want 1
    }
  }

  void registry(String id) throws Exception {
    var lock = registry.obtain(id);
    if (lock.tryLock(1, TimeUnit.SECONDS)) {
      try { Order o = orders.findById(id).orElseThrow(); o.paid = true; orders.save(o); } // want 4
      finally { lock.unlock(); }
    }
  }

  @Scheduled(cron = "0 0 * * * *")
  @SchedulerLock(name = "report", lockAtMostFor = "10m")
  public void report() { orders.deleteAllOld(); }

  boolean tryLock(String key, String val) {
    try {
      return redisTemplate.opsForValue().setIfAbsent(key, val, 30, TimeUnit.SECONDS);
    } catch (Exception e) { // want 9
      return true;
    }
  }
  void unlock(String key) { redisTemplate.delete(key); } // want 1

  void redlock(RedissonRedLock redLock) {
    redLock.lock(); // want 14
    try { orders.save(new Order()); } finally { redLock.unlock(); } // want 4
  }

  boolean jdbc(Connection c, String name, String me) throws SQLException {
    PreparedStatement ps = c.prepareStatement("UPDATE job_lock SET locked_by = ?, locked_until = ? WHERE name = ? AND locked_until < ?");
    ps.setString(1, me);
    ps.setTimestamp(2, new Timestamp(System.currentTimeMillis() + 60000)); // want 6
    return ps.executeUpdate() == 1;
  }
}
