package x;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.stereotype.Component;

@Component
class Registry {
  private final JdbcLockRegistry registry;
  private final RabbitTemplate rabbit;

  Registry(JdbcLockRegistry registry, RabbitTemplate rabbit) { this.registry = registry; this.rabbit = rabbit; }

  void ship(String id) throws InterruptedException {
    Lock l = registry.obtain("ship-" + id);
    l.tryLock(1, TimeUnit.SECONDS); // want 9
    try {
      rabbit.convertAndSend("ship", id); // want 8
    } finally {
      l.unlock();
    }
  }
}
