package cases;

import java.time.Duration;
import java.util.UUID;
import org.springframework.data.redis.core.ReactiveStringRedisTemplate;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;

class ReactiveGate {
    private final ReactiveStringRedisTemplate redis;
    private final InvoiceRepository invoices;

    ReactiveGate(ReactiveStringRedisTemplate redis, InvoiceRepository invoices) {
        this.redis = redis;
        this.invoices = invoices;
    }

    Mono<Void> bill(String id) {
        String key = "bill:lock:" + id;
        String me = UUID.randomUUID().toString();
        return redis.opsForValue().setIfAbsent(key, me, Duration.ofSeconds(10))
            .filter(Boolean::booleanValue)
            .flatMap(ok -> invoices.findById(id))
            .flatMap(invoice -> invoices.save(invoice.billed())) // want 4
            .then(redis.delete(key)) // want 1
            .then();
    }
}
