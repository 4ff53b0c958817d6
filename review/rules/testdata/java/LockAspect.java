import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.springframework.data.redis.core.RedisTemplate;

@Aspect
class LockAspect {
    private final RedisTemplate<String, String> redisTemplate;

    LockAspect(RedisTemplate<String, String> redisTemplate) {
        this.redisTemplate = redisTemplate;
    }

    @Around("@annotation(exclusive)")
    public Object around(ProceedingJoinPoint point, Exclusive exclusive) throws Throwable {
        String key = "exclusive:" + exclusive.value();
        String id = UUID.randomUUID().toString();
        Boolean locked = redisTemplate.opsForValue().setIfAbsent(key, id, exclusive.seconds(), TimeUnit.SECONDS);
        if (locked == null || !locked) {
            throw new IllegalStateException("busy");
        }
        try {
            return point.proceed();
        } finally {
            if (id.equals(redisTemplate.opsForValue().get(key))) {
                redisTemplate.delete(key); // want 2
            }
        }
    }
}
