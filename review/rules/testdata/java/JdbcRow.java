package app.lease;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import javax.sql.DataSource;

public class JdbcLease {
    private static final String FIND = "SELECT owner, expires_at FROM app_lease WHERE name = ?";
    private static final String TAKE = "UPDATE app_lease SET owner = ?, expires_at = ? WHERE name = ?";
    private static final String DROP = "UPDATE app_lease SET owner = NULL WHERE name = ?";
    private final DataSource ds;

    public JdbcLease(DataSource ds) {
        this.ds = ds;
    }

    public boolean take(String name, String me, long millis) throws SQLException {
        try (Connection c = ds.getConnection()) {
            try (PreparedStatement find = c.prepareStatement(FIND)) {
                find.setString(1, name);
                ResultSet rs = find.executeQuery();
                if (rs.next() && rs.getTimestamp("expires_at").toInstant().isAfter(Instant.now())) { // want 6
                    return false;
                }
            }
            try (PreparedStatement take = c.prepareStatement(TAKE)) {
                take.setString(1, me);
                take.setTimestamp(2, Timestamp.from(Instant.now().plusMillis(millis))); // want 6
                take.setString(3, name);
                return take.executeUpdate() == 1; // want 3
            }
        }
    }

    public void drop(String name) throws SQLException {
        try (Connection c = ds.getConnection(); PreparedStatement s = c.prepareStatement(DROP)) {
            s.setString(1, name);
            s.executeUpdate(); // want 1
        }
    }
}
