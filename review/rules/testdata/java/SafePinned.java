import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import javax.sql.DataSource;

class SafePinned {
    private final DataSource source;

    SafePinned(DataSource source) {
        this.source = source;
    }

    boolean once(long key, SqlWork work) throws Exception {
        try (Connection c = source.getConnection()) {
            try (PreparedStatement lock = c.prepareStatement("SELECT pg_try_advisory_lock(?)")) {
                lock.setLong(1, key);
                ResultSet r = lock.executeQuery();
                if (!r.next() || !r.getBoolean(1)) {
                    return false;
                }
            }
            try {
                work.run(c);
            } finally {
                try (PreparedStatement unlock = c.prepareStatement("SELECT pg_advisory_unlock(?)")) {
                    unlock.setLong(1, key);
                    ResultSet r = unlock.executeQuery();
                    if (!r.next() || !r.getBoolean(1)) {
                        throw new IllegalStateException("the lock was not held");
                    }
                }
            }
            return true;
        }
    }
}
