package sqlstore

import (
	"regexp"
	"strconv"
)

// mysqlError is how go-sql-driver writes an error of the server's. Its type has the
// number in a field, which nobody can read who does not import the driver.
var mysqlError = regexp.MustCompile(`\bError (\d{4,5})(?: \(\w{5}\))?: `)

// mysqlNumber is the server's number of an error, 0 where it has none.
func mysqlNumber(err error) int {
	if err == nil {
		return 0
	}
	found := mysqlError.FindStringSubmatch(err.Error())
	if found == nil {
		return 0
	}
	n, _ := strconv.Atoi(found[1]) // digits
	return n
}

// mysqlCode rules on an error that carries a number of the server's. A server that
// answers a statement with an error has not applied it, but for a few.
func mysqlCode(err error) (ruling, bool) {
	n := mysqlNumber(err)
	if n == 0 {
		return ruling{}, false
	}
	if r, ok := mysqlCodes[n]; ok {
		return r, true
	}
	return unavailable(""), true
}

const (
	duplicateKey     = 1062
	lockTimeout      = 1205 // which MariaDB also says at once, where it was told not to wait
	unknownStatement = 1243 // to a session that has not prepared it
)

const (
	primary      = "connect to the primary, where read_only and super_read_only are off"
	mysqlGrants  = "grant the store's user SELECT, INSERT, UPDATE and DELETE on the tables ringfence_lease, ringfence_store and ringfence_line; where they are missing, open the store once with a user that may create them"
	mysqlMissing = "open the store once with a user that may create tables, or create them with the statements of sqlstore.Schema"
	account      = "check the user, the password and the host that the user may come from"
)

var mysqlCodes = map[int]ruling{
	1020: retry(""), // the record has changed since it was read
	1205: retry(""), // lock wait timeout
	1213: retry(""), // deadlock, and a conflict between nodes of a cluster
	1412: retry(""), // the definition of the table has changed
	1615: retry(""),
	3101: retry(""), // a conflict between members of a group
	3572: retry(""), // no lock without waiting

	1036: unavailable("a table is read-only: " + primary),
	1290: unavailable("the server is read-only: " + primary),
	1792: unavailable("the session's transactions are read-only: " + primary),
	1836: unavailable("the server is read-only: " + primary),
	1874: unavailable("InnoDB is read-only: " + primary),
	1021: unavailable("the server's disk is full"),
	1114: unavailable("a table is full, or the server's disk is"),
	1040: unavailable("the server has no connection left"),
	1203: unavailable("the user has no connection left"),
	1226: unavailable("the user has reached a limit of resources"),
	1047: unavailable("the node of the cluster does not serve: it has lost the majority, or is joining"),
	3100: unavailable("the group of servers does not accept the change"),
	1969: unavailable("max_statement_time is shorter than the statement took"),
	3024: unavailable("max_execution_time is shorter than the statement took"),

	1053: doubt, // the server shuts down
	1152: doubt,
	1158: doubt, 1159: doubt, 1160: doubt, 1161: doubt, // reading and writing packets
	1180: doubt, // an error in the commit
	1317: doubt, // interrupted
	1927: doubt, // the connection was killed
	1030: {kind: doubt.kind, hint: "check the server's disk, which may be full; " + resolve},

	1044: unfit(mysqlGrants),
	1142: unfit(mysqlGrants),
	1143: unfit(mysqlGrants),
	1227: unfit(mysqlGrants),
	1045: unfit(account),
	1130: unfit(account),
	1698: unfit(account),
	1049: unfit("create the database, or name another one in the address"),
	1046: unfit("name a database in the address"),
	1146: unfit(mysqlMissing),
	3098: unfit("the group of servers takes tables with a primary key in InnoDB only"),

	1054: unfit(altered),
	1062: unfit(altered),
	1064: unfit("the server is older than MySQL 8.0 and MariaDB 10.6, or its sql_mode changes the language"),
	1175: unfit("set sql_safe_updates = 0 for the store's user"),
	1193: unfit("the server is older than MySQL 8.0 and MariaDB 10.6"),
	1264: unfit(altered),
	1366: unfit(altered),
	1406: unfit(altered),
	3819: unfit(altered),
	4025: unfit(altered),
	1785: unfit("the tables must be in InnoDB for a server with enforce_gtid_consistency"),
	1034: unfit("the table is damaged: restore it or use another database; no number comes back, because the clock lends the floor"),
}
