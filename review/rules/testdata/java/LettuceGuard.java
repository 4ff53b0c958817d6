package app.guard;

import io.lettuce.core.RedisClient;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.function.Supplier;

public final class LettuceGuard implements AutoCloseable {
    private final StatefulRedisConnection<String, String> connection;
    private final String name;

    public LettuceGuard(RedisClient client, String name) {
        this.connection = client.connect();
        this.name = name;
    }

    public <T> T withGuard(Supplier<T> body) {
        RedisCommands<String, String> cmd = connection.sync();
        String reply = cmd.set(name, "locked", SetArgs.Builder.nx().px(15000));
        if (reply == null) {
            throw new IllegalStateException("guarded by somebody else: " + name);
        }
        try {
            return body.get();
        } finally {
            cmd.del(name); // want 1
        }
    }

    @Override
    public void close() {
        connection.close();
    }
}
