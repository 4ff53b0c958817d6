package cases;

import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.springframework.jdbc.core.JdbcTemplate;

class Harbour {
    private final JdbcTemplate jdbc;
    private final ScheduledExecutorService timer;

    LeaderCallbacks callbacks() {
        return new LeaderCallbacks(this::lead, () -> { }, who -> { });
    }

    private void lead() {
        timer.scheduleAtFixedRate(this::assign, 0, 5, TimeUnit.SECONDS);
    }

    private void assign() {
        jdbc.update("UPDATE berths SET ship = NULL WHERE leaves_at < now()"); // want 11
    }

    @SchedulerLock(name = "tides", lockAtMostFor = "PT5M")
    void tides() {
        jdbc.update("UPDATE tides SET level = 3"); // want 4
    }
}
