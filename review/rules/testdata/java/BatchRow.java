package cases;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import javax.sql.DataSource;

class BatchRow {
    private final DataSource ds;

    BatchRow(DataSource ds) {
        this.ds = ds;
    }

    boolean claim(String batch, String host) throws SQLException {
        try (Connection c = ds.getConnection();
                PreparedStatement look = c.prepareStatement("SELECT owner FROM batch_lock WHERE batch = ? AND expires_at > ?")) {
            look.setString(1, batch);
            look.setTimestamp(2, new Timestamp(System.currentTimeMillis())); // want 6
            try (ResultSet rs = look.executeQuery()) {
                if (rs.next()) {
                    return false;
                }
            }
            try (PreparedStatement take = c.prepareStatement("UPDATE batch_lock SET owner = ?, expires_at = ? WHERE batch = ?")) {
                take.setString(1, host);
                take.setTimestamp(2, new Timestamp(System.currentTimeMillis() + 60_000)); // want 6
                take.setString(3, batch);
                return take.executeUpdate() == 1; // want 3
            }
        }
    }
}
