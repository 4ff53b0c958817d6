package sqlstore

import "errors"

// sqlState rules on an error that carries an SQLSTATE, which pgx and lib/pq tell
// by a method. A server that answers a statement with an error has not applied
// it; one that says goodbye in the middle of it may have.
func sqlState(err error) (ruling, bool) {
	var e interface{ SQLState() string }
	if !errors.As(err, &e) {
		return ruling{}, false
	}
	state := e.SQLState()
	for _, length := range []int{5, 3, 2} {
		if len(state) == 5 {
			if r, ok := states[state[:length]]; ok {
				return r, true
			}
		}
	}
	return unavailable(""), true
}

const (
	grants = "grant the store's role USAGE on the schema ringfence and SELECT, INSERT, UPDATE, DELETE on its tables " +
		"and EXECUTE on pg_control_system(), where that is hidden open the store with WeakIdentity; " +
		"where the tables are missing, open the store once with a role that may create them"
	missing = "open the store once with a role that may create the schema ringfence, or create it with the statements of sqlstore.Schema"
	foreign = "the tables are not as this release made them: compare them with sqlstore.Schema"
	pooler  = "the connection pooler mixes up prepared statements: with pgx, add default_query_exec_mode=exec to the address"
)

// states holds the rulings by SQLSTATE or by its class.
var states = map[string]ruling{
	"40":    retry(""), // serialization failure, deadlock
	"55P03": retry(""), // lock not available
	"0A000": retry(""), // cached plan must not change result type

	"25006": unavailable("the server is a read-only standby, or default_transaction_read_only is on: connect to the primary"),
	"55000": unavailable("the server is a read-only standby: connect to the primary"),
	"53":    unavailable("the server has no disk space, memory or connection left"),
	"57P03": unavailable("the server is starting up or shutting down"),

	"57P":   doubt, // the server ends the connection
	"08":    doubt, // connection failure
	"40003": doubt, // in those words

	"22":    unfit(foreign),
	"23":    unfit(foreign),
	"26":    unfit(pooler),
	"28":    unfit("check the user and the password in the address, and pg_hba.conf"),
	"3D":    unfit("create the database, or name another one in the address"),
	"3F":    unfit(missing),
	"42":    unfit(foreign),
	"42501": unfit(grants),
	"42P01": unfit(missing),
	"42P05": unfit(pooler),
	"42704": unfit("the address names a parameter that the server does not know"),
	"XX001": unfit("the database is corrupt: restore it or use another one; no number comes back, because the clock lends the floor"),
	"XX002": unfit("an index is corrupt: REINDEX TABLE ringfence.lease"),
}
