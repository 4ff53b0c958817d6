package x;

import java.time.Duration;
import java.util.UUID;
import java.util.function.Supplier;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.kafka.core.KafkaTemplate;

abstract class Solo {
  private final StringRedisTemplate redis;

  Solo(StringRedisTemplate redis) { this.redis = redis; }

  abstract void body(String id);

  void perform(String id) {
    String key = "solo:" + id;
    Boolean first = redis.opsForValue().setIfAbsent(key, UUID.randomUUID().toString(), Duration.ofSeconds(20));
    if (!Boolean.TRUE.equals(first)) return;
    try {
      body(id);
    } finally {
      redis.delete(key); // want 1
    }
  }
}

class Ship extends Solo {
  private final KafkaTemplate<String, String> kafka;

  Ship(StringRedisTemplate redis, KafkaTemplate<String, String> kafka) { super(redis); this.kafka = kafka; }

  @Override void body(String id) {
    kafka.send("shipments", id); // want 8
  }
}
