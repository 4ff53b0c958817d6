import org.springframework.jdbc.core.JdbcTemplate;

class Totals {
    private final JdbcTemplate jdbc;

    Totals(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    void fold() {
        jdbc.update("UPDATE totals SET folded = true"); // want 4
    }
}
