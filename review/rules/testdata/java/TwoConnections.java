package cases;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

class TwoConnections {
    private static final String TRY = "SELECT pg_try_advisory_lock(?)";
    private static final String FREE = "SELECT pg_advisory_unlock(?)";
    private final DataSource ds;

    TwoConnections(DataSource ds) {
        this.ds = ds;
    }

    private boolean ask(String sql, long id) throws SQLException {
        try (Connection c = ds.getConnection(); PreparedStatement st = c.prepareStatement(sql)) {
            st.setLong(1, id);
            try (ResultSet rs = st.executeQuery()) {
                return rs.next() && rs.getBoolean(1);
            }
        }
    }

    void nightly(long id, Runnable work) throws SQLException {
        if (!ask(TRY, id)) { // want 13
            return;
        }
        try {
            work.run();
        } finally {
            ask(FREE, id); // want 10
        }
    }
}
