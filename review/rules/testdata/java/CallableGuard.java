package x;

import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.springframework.web.client.RestTemplate;

class CallableGuard {
  private final RedissonClient redisson;
  private final RestTemplate rest = new RestTemplate();

  CallableGuard(RedissonClient r) { this.redisson = r; }

  <T> T exclusively(String name, Callable<T> c) throws Exception {
    RLock l = redisson.getLock(name);
    l.lock(10, TimeUnit.SECONDS);
    try {
      return c.call();
    } finally {
      l.unlock();
    }
  }

  String pay(String order) throws Exception {
    return exclusively("pay:" + order, () -> rest.postForObject("https://pay.example", order, String.class)); // want 8
  }
}
