package x;
import java.util.concurrent.locks.ReentrantLock;
import org.springframework.web.client.RestTemplate;
class SafeGate {
  private final ReentrantLock gate = new ReentrantLock();
  private final RestTemplate rest = new RestTemplate();
  String call(String x) {
    gate.lock();
    try { return rest.postForObject("https://x", x, String.class); } finally { gate.unlock(); }
  }
}
