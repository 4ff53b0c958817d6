package cases;

import java.util.concurrent.TimeUnit;
import org.redisson.RedissonMultiLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.springframework.mail.SimpleMailMessage;
import org.springframework.mail.javamail.JavaMailSender;

class RedlockMail {
    private final RedissonClient a, b, c;
    private final JavaMailSender mail;

    RedlockMail(RedissonClient a, RedissonClient b, RedissonClient c, JavaMailSender mail) {
        this.a = a;
        this.b = b;
        this.c = c;
        this.mail = mail;
    }

    void digest(String list) throws InterruptedException {
        RLock lock = new RedissonMultiLock(a.getLock(list), b.getLock(list), c.getLock(list)); // want 14
        lock.tryLock(1, 10, TimeUnit.SECONDS); // want 7 9
        try {
            SimpleMailMessage m = new SimpleMailMessage();
            m.setTo(list);
            mail.send(m); // want 8
        } finally {
            lock.unlock();
        }
    }
}
