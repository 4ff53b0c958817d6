import org.springframework.jdbc.core.JdbcTemplate;

class AdvisoryTemplate {
    private static final String LOCK = "SELECT pg_try_advisory_lock(?)";
    private static final String UNLOCK = "SELECT pg_advisory_unlock(?)";
    private final JdbcTemplate jdbc;

    AdvisoryTemplate(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    void nightly(Runnable work) {
        Boolean got = jdbc.queryForObject(LOCK, Boolean.class, 77L); // want 13
        if (!Boolean.TRUE.equals(got)) {
            return;
        }
        try {
            work.run();
        } finally {
            jdbc.queryForObject(UNLOCK, Boolean.class, 77L); // want 10
        }
    }
}
