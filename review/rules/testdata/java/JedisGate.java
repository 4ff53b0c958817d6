import redis.clients.jedis.JedisPooled;
import redis.clients.jedis.params.SetParams;

public final class JedisGate {
    private final JedisPooled jedis = new JedisPooled("localhost", 6379);

    boolean enter(String job, String owner) {
        return "OK".equals(jedis.set("gate:" + job + ":lock", owner, SetParams.setParams().nx().ex(30)));
    }

    void exit(String job, String owner) {
        String current = jedis.get("gate:" + job + ":lock");
        if (owner.equals(current)) {
            jedis.del("gate:" + job + ":lock"); // want 2
        }
    }
}
