package cases;
import java.time.*; import java.util.*; import java.util.concurrent.*; import java.util.concurrent.locks.*;
import org.redisson.api.*; import org.springframework.jdbc.core.JdbcTemplate; import org.springframework.transaction.annotation.Transactional;
import org.springframework.data.redis.core.*; import org.springframework.data.redis.core.script.*;
class SafeShapes {
  private final ReadWriteLock rw = new ReentrantReadWriteLock(); private final Semaphore sem = new Semaphore(3);
  private JdbcTemplate jdbc; private RedissonClient redisson; private StringRedisTemplate redis;
  void a() throws Exception { rw.writeLock().lock(); try { jdbc.update("UPDATE x SET a = 1"); } finally { rw.writeLock().unlock(); } if (sem.tryAcquire()) { sem.release(); } }
  boolean fenced(String id, long cents) throws Exception {
    RFencedLock lock = redisson.getFencedLock("acct:" + id);
    Long fence = lock.tryLockAndGetToken(1, 10, TimeUnit.SECONDS);
    if (fence == null) return false;
    try {
      return jdbc.update("UPDATE acct SET cents = ?, fence = ? WHERE id = ? AND fence <= ?", cents, fence, id, fence) == 1;
    } finally { lock.unlock(); }
  }
  @Transactional void tx(long id) { jdbc.queryForObject("SELECT pg_advisory_xact_lock(?)", Object.class, id); jdbc.update("UPDATE t SET n = n + 1 WHERE id = ?", id); }
  boolean first(String id) { return Boolean.TRUE.equals(redis.opsForValue().setIfAbsent("dedupe:" + id, "1", Duration.ofDays(1))); }
  private static final RedisScript<Long> DROP = new DefaultRedisScript<>("if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) else return 0 end", Long.class);
  boolean take(String key, String owner) { Boolean ok = redis.opsForValue().setIfAbsent(key, owner, Duration.ofSeconds(30)); return ok != null && ok; }
  boolean drop(String key, String owner) { Long n = redis.execute(DROP, List.of(key), owner); return n != null && n == 1; }
}
