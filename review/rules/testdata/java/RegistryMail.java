import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.mail.SimpleMailMessage;
import org.springframework.mail.javamail.JavaMailSender;

class RegistryMail {
    private final RedisLockRegistry registry;
    private final JavaMailSender mail;

    RegistryMail(RedisLockRegistry registry, JavaMailSender mail) {
        this.registry = registry;
        this.mail = mail;
    }

    void remind(String customer, SimpleMailMessage message) throws InterruptedException {
        Lock lock = registry.obtain("reminder:" + customer);
        lock.tryLock(2, TimeUnit.SECONDS); // want 9
        try {
            mail.send(message); // want 8
        } finally {
            lock.unlock();
        }
    }
}
