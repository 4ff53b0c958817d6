package x;

import java.net.HttpURLConnection;
import java.net.URL;
import java.util.UUID;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.SetParams;

class HttpForms {
  private final OkHttpClient ok = new OkHttpClient();

  void run(Jedis jedis, String id) throws Exception {
    String me = UUID.randomUUID().toString();
    if (jedis.set("send:lock:" + id, me, new SetParams().nx().ex(30)) == null) return;
    try {
      HttpURLConnection c = (HttpURLConnection) new URL("https://pay.example").openConnection();
      c.setRequestMethod("POST");
      c.setConnectTimeout(1000);
      c.setReadTimeout(1000);
      int code = c.getResponseCode(); // want 8
      Request r = new Request.Builder().url("https://pay.example/x").post(RequestBody.create("x".getBytes())).build();
      ok.newCall(r).execute(); // want 8
    } finally {
      Object n = jedis.eval("if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) end return 0", 1, "send:lock:" + id, me);
      if (!Long.valueOf(1).equals(n)) System.err.println("late");
    }
  }
}
