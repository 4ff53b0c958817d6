package x;

import java.util.UUID;
import net.spy.memcached.MemcachedClient;

public class Syncer {
    private final MemcachedClient mc;

    Syncer(MemcachedClient mc) { this.mc = mc; }

    void sync(String tenant) throws Exception {
        String nonce = UUID.randomUUID().toString();
        String key = "sync-mutex:" + tenant;
        if (!mc.add(key, 90, nonce).get()) {
            return;
        }
        try {
            apply(tenant);
        } finally {
            leave(key, nonce);
        }
    }

    private void leave(String key, String nonce) {
        Object owner = mc.get(key);
        if (!nonce.equals(owner)) {
            return;
        }
        mc.delete(key); // want 2
    }

    private void apply(String tenant) {}
}
