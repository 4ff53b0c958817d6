import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;

class LeaseDao {
    private static final String TAKE =
        "UPDATE job_lease SET owner = ?, expires_at = ? WHERE name = ? AND expires_at < ?";

    boolean take(Connection c, String name, String owner) throws SQLException {
        Instant now = Instant.now();
        try (PreparedStatement ps = c.prepareStatement(TAKE)) {
            ps.setString(1, owner);
            ps.setTimestamp(2, Timestamp.from(now.plusSeconds(60))); // want 6
            ps.setString(3, name);
            ps.setTimestamp(4, Timestamp.from(now));
            return ps.executeUpdate() == 1;
        }
    }
}
