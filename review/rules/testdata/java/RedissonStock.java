import java.util.concurrent.TimeUnit;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

class RedissonStock {
    private final RedissonClient redisson;
    private final ItemRepository items;

    RedissonStock(RedissonClient redisson, ItemRepository items) {
        this.redisson = redisson;
        this.items = items;
    }

    boolean reserve(String sku) throws InterruptedException {
        RLock lock = redisson.getLock("stock:" + sku);
        try {
            if (!lock.tryLock(1, 10, TimeUnit.SECONDS)) {
                return false;
            }
            Item item = items.findBySku(sku);
            item.setLeft(item.getLeft() - 1);
            items.save(item); // want 4
            return true;
        } finally {
            lock.unlock(); // want 18
        }
    }
}
