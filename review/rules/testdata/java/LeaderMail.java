package app.mail;

import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.integration.support.locks.LockRegistry;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.TimeUnit;
import org.springframework.mail.MailSender;
import org.springframework.mail.SimpleMailMessage;

class LeaderMail extends DefaultCandidate {
    private final JdbcTemplate jdbc;
    private final LockRegistry registry;
    private final MailSender mails;

    LeaderMail(JdbcTemplate jdbc, LockRegistry registry, MailSender mails) {
        this.jdbc = jdbc;
        this.registry = registry;
        this.mails = mails;
    }

    @Override
    public void onGranted(Context ctx) {
        jdbc.update("UPDATE outbox SET claimed = 1 WHERE claimed = 0"); // want 11
    }

    void remind(long id) throws InterruptedException {
        Lock lock = registry.obtain("remind:" + id);
        lock.tryLock(5, TimeUnit.SECONDS); // want 9
        try {
            mails.send(new SimpleMailMessage()); // want 8
        } finally {
            lock.unlock();
        }
    }
}
