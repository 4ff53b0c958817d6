package lock

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
)

// poolTypes hand out a connection for each statement.
var poolTypes = wordSet("DB Pool JdbcTemplate NamedParameterJdbcTemplate DataSource Knex PrismaClient Sequelize Engine SimplePool HikariDataSource AsyncEngine JdbcClient EntityManagerFactory ConnectionPool AsyncConnectionPool Sql PostgresHook MySqlHook MsSqlHook OracleHook DbApiHook QueryRunner Jdbi SQLExecuteQueryOperator Kysely NodePgDatabase PostgresJsDatabase MySql2Database")

// poolMakers make one.
var poolMakers = wordSet("Pool knex PrismaClient Sequelize createPool Open OpenDB create_engine create_pool ThreadedConnectionPool ConnectionPool DataSource postgres create_async_engine Connect MustConnect")

// Pooled reports whether the lock of a session is taken on a connection that nobody
// keeps until the lock is given back.
func Pooled(o *Op) bool {
	conn := o.Conn
	if o.In.File.Language == ir.Shell {
		return o.SQL != nil && !o.wholeSession()
	}
	if g := o.In.Unit.callee(o.In, o.Call); g != nil && g.runsBorrowed() {
		return true
	}
	if conn == nil {
		return false
	}
	if o.In.isPool(conn) {
		return true
	}
	return o.scopedOut()
}

// runsBorrowed reports whether a helper runs the statement that it is handed on a
// connection of a pool that it gives back.
func (f *Function) runsBorrowed() bool {
	for _, s := range f.Sites {
		a := s.Call.Arg(0)
		if a == nil || a.Kind != ir.Name || f.paramIndex(a.Name) < 0 || s.Call.Receiver() == nil {
			continue
		}
		if conn := s.Call.Receiver(); f.isPool(conn) || f.borrowed(s, firstWord(conn.Path())) {
			return true
		}
	}
	return false
}

// borrowed reports whether the name at a site is a connection that the function takes
// out of a pool and gives back.
func (f *Function) borrowed(s *Site, name string) bool {
	for _, st := range s.Path {
		if st.Branch != InBody || st.Stmt.Does != ir.With || !binds(st.Stmt.To, name) || st.Stmt.X == nil {
			continue
		}
		if root := firstWord(st.Stmt.X.Path()); borrows(st.Stmt.X) || root != name && root != "this" && root != "" && f.borrowed(s, root) {
			return true // a cursor of what was borrowed
		}
	}
	d, ok := f.lookup(name, s.Pos())
	return ok && d.in == f && d.x != nil && borrows(d.x) && f.returns(name)
}

// wholeSession reports whether a client program that is called in a shell does more
// in its session than to take the lock.
func (o *Op) wholeSession() bool {
	for i := range o.Call.Args {
		text, ok := o.In.fold(o.Call.Args[i])
		if _, rest, more := strings.Cut(text, ";"); ok && more && strings.TrimSpace(rest) != "" {
			return true
		}
	}
	return false
}

// fresh are methods of gorm and bun that return the same pool with other settings.
var fresh = wordSet("WithContext Session Debug")

func (f *Function) isPool(conn *ir.Expr) bool {
	if conn.Kind == ir.Member && strings.HasPrefix(conn.Name, "$") {
		return true
	}
	t := f.typeOf(conn)
	if poolTypes[shortType(t)] {
		return !strings.HasPrefix(t, "sqlite3.")
	}
	v := f.resolve(conn)
	if v.Expr == nil || v.Kind != ir.Call && v.Kind != ir.New {
		return false
	}
	if fresh[v.Method()] && v.Receiver() != nil && v.In.File.Language == ir.Go {
		return v.In.isPool(v.Receiver())
	}
	if v.Method() == "connect" && strings.HasPrefix(v.In.qualify(v.X.Path()), "mssql") {
		return true
	}
	for x := v.Receiver(); x != nil && v.Kind == ir.Call; x = x.Receiver() { // a request that a pool made
		if x.Kind == ir.Call && x.Method() == "request" {
			return x.Receiver() != nil && v.In.isPool(x.Receiver())
		}
	}
	if d, ok := f.lookup(conn.Name, conn.Pos); ok && conn.Kind == ir.Name && d.index > 0 {
		return false
	}
	return poolMakers[v.Method()]
}

// scopedOut reports whether the connection goes back to the pool before the lock is
// given back: the block that borrowed it ends, and the unlock is not in it.
func (o *Op) scopedOut() bool {
	root := firstWord(o.Conn.Path())
	for _, st := range o.Path {
		switch {
		case st.Branch == InBody && st.Stmt.Does == ir.With && binds(st.Stmt.To, root) && borrows(st.Stmt.X):
			return !o.givenBackWithin(st.Stmt.Pos, st.Stmt.End)
		case st.Branch == InLambda && hasParam(st.Lambda.Func, root) && lender(st.Stmt, st.Lambda):
			return !o.givenBackWithin(st.Lambda.Pos, st.Lambda.End)
		}
	}
	d, ok := o.In.lookup(root, o.Pos())
	if !ok || d.in != o.In || d.x == nil || !borrows(d.x) {
		return false
	}
	return o.In.returns(root) && !o.givenBackWithin(o.In.Pos, o.In.End)
}

func binds(to []*ir.Expr, name string) bool {
	for _, t := range to {
		if t.Name == name {
			return true
		}
	}
	return false
}

func hasParam(f *ir.Func, name string) bool {
	for _, p := range f.Params {
		if p.Name == name {
			return true
		}
	}
	return false
}

var borrowers = wordSet("connect connection acquire getConnection get_connection checkout Conn Acquire begin getconn raw_connection with_connection with_client")

// borrows reports whether an expression takes a connection out of a pool.
func borrows(e *ir.Expr) (found bool) {
	e.Each(func(x *ir.Expr) bool {
		found = found || x.Kind == ir.Call && borrowers[x.Method()]
		return !found
	})
	return found
}

// lender reports whether a lambda is handed to what lends it a connection.
func lender(s *ir.Stmt, lambda *ir.Expr) (found bool) {
	if s.X == nil {
		return false
	}
	s.X.Each(func(x *ir.Expr) bool {
		if x.Kind == ir.Call && (x.Method() == "with_connection" || x.Method() == "withConnection" || x.Method() == "with" || x.Method() == "hold") {
			for _, a := range x.Args {
				found = found || a == lambda
			}
		}
		return !found
	})
	return found
}

func (o *Op) givenBackWithin(from, to ir.Pos) bool {
	for _, g := range o.Lock.All(GiveUp) {
		if g.In == o.In && g.Pos() >= from && g.Pos() <= to {
			return true
		}
	}
	return len(o.Lock.All(GiveUp)) == 0
}

// returns reports whether a function gives a connection back to its pool.
func (f *Function) returns(name string) bool {
	for _, s := range f.Sites {
		r := s.Call.Receiver()
		if r != nil && r.Path() == name && (s.Call.Method() == "release" || s.Call.Method() == "close" || s.Call.Method() == "Close" || s.Call.Method() == "Release") {
			return true
		}
	}
	return false
}

// InTransaction reports whether a statement comes second or later in an explicit
// transaction.
func (o *Op) InTransaction() bool {
	begun, before := false, false
	for _, s := range o.In.Sites {
		if s.Pos() >= o.Pos() {
			break
		}
		q := o.In.textOnly(s.Call)
		switch {
		case q != nil && q.Verb == "begin" || begins[s.Call.Method()]:
			begun, before = true, false
		case q != nil && (q.Verb == "commit" || q.Verb == "rollback"):
			begun = false
		case q != nil:
			before = before || begun
		}
	}
	return begun && before
}

var begins = wordSet("Begin BeginTx BeginTxx beginTransaction begin start_transaction transaction $transaction")
