package shop.coupons;

import java.time.Duration;
import java.util.UUID;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Component;

@Component
public class CouponLock implements AutoCloseable {
    private static final String PREFIX = "coupon-lock:";
    private final StringRedisTemplate template;
    private final String code;

    public CouponLock(StringRedisTemplate template, String code) {
        this.template = template;
        this.code = code;
    }

    public boolean tryLock(Duration ttl) {
        return Boolean.TRUE.equals(
            template.opsForValue().setIfAbsent(PREFIX + code, UUID.randomUUID().toString(), ttl));
    }

    @Override
    public void close() {
        template.delete(PREFIX + code); // want 1
    }
}
