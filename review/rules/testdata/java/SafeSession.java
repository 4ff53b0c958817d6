import java.sql.*;

class SafeSession {
    private final Connection conn;
    SafeSession(String url) throws SQLException { conn = DriverManager.getConnection(url); }
    private int number(String sql) throws SQLException {
        try (Statement st = conn.createStatement(); ResultSet rs = st.executeQuery(sql)) { rs.next(); return rs.getInt(1); }
    }
    void run(String name) throws SQLException {
        if (number("SELECT GET_LOCK('schema', 20)") != 1) throw new IllegalStateException("busy");
        try {
            try (PreparedStatement ps = conn.prepareStatement("INSERT INTO schema_changes (name) VALUES (?)")) { ps.setString(1, name); ps.executeUpdate(); }
        } finally {
            if (number("SELECT RELEASE_LOCK('schema')") != 1) throw new IllegalStateException("lost");
        }
    }
}
