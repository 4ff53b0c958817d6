package cases;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.web.client.RestTemplate;

class SafeThird {
    private final DataSource ds;
    private final RestTemplate rest = new RestTemplate();

    SafeThird(DataSource ds) {
        this.ds = ds;
    }

    void once(long id, Runnable work) throws SQLException {
        try (Connection c = ds.getConnection()) {
            try (PreparedStatement st = c.prepareStatement("SELECT pg_try_advisory_lock(?)")) {
                st.setLong(1, id);
                try (ResultSet rs = st.executeQuery()) {
                    if (!rs.next() || !rs.getBoolean(1)) {
                        return;
                    }
                }
            }
            try {
                work.run();
            } finally {
                try (PreparedStatement st = c.prepareStatement("SELECT pg_advisory_unlock(?)")) {
                    st.setLong(1, id);
                    try (ResultSet rs = st.executeQuery()) {
                        if (!rs.next() || !rs.getBoolean(1)) {
                            throw new SQLException("the session had lost lock " + id);
                        }
                    }
                }
            }
        }
    }

    String look(String code) {
        return rest.getForObject("https://tariffs.example/" + code, String.class);
    }
}
