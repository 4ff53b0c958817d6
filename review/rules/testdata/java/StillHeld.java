package app.re;

import java.util.concurrent.TimeUnit;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.springframework.stereotype.Service;
import org.springframework.web.client.RestTemplate;

@Service
class RedissonCache {
    private final RedissonClient client;
    private final RestTemplate http;
    private final LedgerRepository ledger;

    RedissonCache(RedissonClient client, RestTemplate http, LedgerRepository ledger) {
        this.client = client;
        this.http = http;
        this.ledger = ledger;
    }

    void transfer(Transfer t) throws InterruptedException {
        RLock lock = client.getLock("transfer:" + t.id());
        if (lock.tryLock(1, 5, TimeUnit.SECONDS)) { // want 7
            try {
                http.postForEntity("https://bank.invalid/transfers", t, Void.class); // want 8
                if (lock.isHeldByCurrentThread()) {
                    ledger.saveAndFlush(t.toEntry()); // want 4 12
                }
            } finally {
                lock.unlock();
            }
        }
    }
}
