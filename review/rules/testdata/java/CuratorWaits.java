import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import java.util.concurrent.TimeUnit;

class CuratorWaits {
    void run(org.apache.curator.framework.CuratorFramework c) throws Exception {
        InterProcessMutex m = new InterProcessMutex(c, "/jobs/report");
        m.acquire();
        try { build(); } finally { m.release(); }
    }
    void run2(org.apache.curator.framework.CuratorFramework c) throws Exception {
        InterProcessMutex m = new InterProcessMutex(c, "/jobs/report2");
        m.acquire(5, TimeUnit.SECONDS); // want 9
        try { build(); } finally { m.release(); }
    }
}
