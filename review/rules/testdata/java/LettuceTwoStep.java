import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;

class LettuceTwoStep {
    private final RedisCommands<String, String> redis = RedisClient.create("redis://r").connect().sync();

    void importAll(Runnable work) {
        String lock = "import:lock";
        if (redis.setnx(lock, "locked")) {
            redis.expire(lock, 600); // want 3
            try {
                work.run();
            } finally {
                redis.del(lock); // want 1
            }
        }
    }
}
