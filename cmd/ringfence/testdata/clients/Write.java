import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;

/** Executes the statement in its argument through pgJDBC, and prints its version. */
class Write {
    public static void main(String[] args) {
        var env = System.getenv();
        var options = new Properties();
        options.setProperty("user", env.get("PGUSER"));
        options.setProperty("password", env.get("PGPASSWORD"));
        if (env.containsKey("INSTEAD")) {
            options.setProperty("options", env.get("PGOPTIONS"));
        }
        var url = "jdbc:postgresql://" + env.get("PGHOST") + ":" + env.get("PGPORT") + "/" + env.get("PGDATABASE");
        try (Connection connection = DriverManager.getConnection(url, options)) {
            connection.createStatement().execute(args[0]);
            System.out.println(connection.getMetaData().getDriverVersion());
        } catch (SQLException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }
}
