package cases;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;

class SafeFifth {
    private final ReentrantLock lock = new ReentrantLock();
    private final DataSource ds;

    SafeFifth(DataSource ds) {
        this.ds = ds;
    }

    String first(Path file) throws IOException {
        try (BufferedReader in = Files.newBufferedReader(file)) {
            return in.readLine();
        }
    }

    void both() throws SQLException {
        lock.lock();
        try (Connection c = ds.getConnection()) {
            c.createStatement().executeUpdate("UPDATE counters SET n = n + 1");
        } finally {
            lock.unlock();
        }
    }

    boolean moved(long id) throws SQLException {
        try (Connection c = ds.getConnection();
                var ps = c.prepareStatement("UPDATE jobs SET worker = ? WHERE id = ? AND worker IS NULL")) {
            ps.setString(1, "w");
            ps.setLong(2, id);
            return ps.executeUpdate() == 1;
        }
    }
}
