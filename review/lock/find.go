package lock

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/query"
)

// findOps looks at every call.
func (u *Unit) findOps() {
	for _, f := range u.Functions {
		for _, s := range f.Sites {
			if s.Ops = f.farOps(s); len(s.Ops) > 0 {
				continue
			}
			if op := f.op(s); op != nil {
				s.Ops = append(s.Ops, op)
			}
		}
	}
}

func (f *Function) op(s *Site) *Op {
	if op := f.libraryOps(s); op != nil {
		return op
	}
	if op := f.consulOp(s); op != nil {
		return op
	}
	if op := f.nodeOp(s); op != nil {
		return op
	}
	if op := f.procedureOp(s); op != nil {
		return op
	}
	if q := f.statement(s.Call); q != nil {
		if op := f.queryOp(s, q); op != nil {
			f.fetched(s)
			return op
		}
		if !q.Builder {
			return nil
		}
	}
	if op := f.cacheOp(s); op != nil {
		return op
	}
	if c := f.redisCommand(s.Call); c != nil {
		op := f.redisOp(s, c)
		if op != nil {
			f.batched(s)
		}
		return op
	}
	return nil
}

var fetches = wordSet("fetchone fetchall fetchmany fetchval fetch fetchColumn fetch_row fetchAll fetchrow fetchone_dict next")

// fetched gives a statement the use of its answer, which is fetched from its cursor
// afterwards, before the next statement.
func (f *Function) fetched(s *Site) {
	cursor := s.Call.Receiver().Path()
	if s.Use != Dropped || cursor == "" {
		return
	}
	for _, other := range f.Sites {
		if other.Pos() > s.Pos() && other.Call.Receiver().Path() == cursor {
			if fetches[other.Call.Method()] {
				s.answeredBy(other)
			}
			return
		}
	}
}

// answeredBy gives a site the use of another one, which returns its answer.
func (s *Site) answeredBy(other *Site) {
	switch other.Use {
	case Dropped:
	case Assigned, Returned:
		s.Use, s.Names = other.Use, other.Names
	default:
		s.Use = Tested
	}
}

var (
	batches = wordSet("pipeline pipelined multi Pipeline TxPipeline Pipelined TxPipelined transaction batch")
	sends   = wordSet("execute exec Exec execAsync sync syncAndReturnAll EXEC")
)

// batched gives a command that is sent with others the use of their answers.
func (f *Function) batched(s *Site) {
	if s.Use != Dropped {
		return
	}
	for _, st := range s.Path {
		if st.Branch == InLambda && lends(st.Stmt, st.Lambda) {
			s.Use = Tested
			return
		}
	}
	batch := s.Call.Receiver().Path()
	if v := f.resolve(s.Call.Receiver()); batch == "" || !batches[v.Method()] {
		return
	}
	for _, other := range f.Sites {
		if other.Pos() > s.Pos() && other.Call.Receiver().Path() == batch && sends[other.Call.Method()] {
			s.answeredBy(other)
			return
		}
	}
}

// lends reports whether a lambda is handed to what sends the commands in it together.
func lends(s *ir.Stmt, lambda *ir.Expr) (found bool) {
	s.X.Each(func(x *ir.Expr) bool {
		for _, a := range x.Args {
			found = found || a == lambda && batches[x.Method()]
		}
		return !found
	})
	return found
}

func (f *Function) redisOp(s *Site, c *Command) *Op {
	op := &Op{Site: s, Family: Redis, Command: c, Value: c.Value, TTL: c.TTL, Key: f.Key(c.Key), KeyAt: c.Key, Gives: f.gives(value)}
	if f.File.Language == ir.Go && c.Script == nil && f.nilIsError(s.Call) {
		op.Gives = errors
	}
	switch {
	case c.Script != nil:
		op.Do = c.Script.does()
	case c.Name == "SET" && c.NX:
		op.Do = Acquire
	case c.Name == "HSETNX" || c.Name == "INCR" && f.isFirst(s):
		op.Do = Acquire
	case c.Name == "DELEX" || c.Name == "CAS":
		op.Do = GiveUp
	case c.Name == "SET" && c.IfEq:
		op.Do = Renew
	case c.Name == "SET" || c.Name == "SETEX" || c.Name == "PSETEX" || c.Name == "GETSET":
		op.Do = Put
	case c.Name == "GET" || c.Name == "GETEX":
		op.Do = Read
	case c.Name == "EXISTS":
		op.Do = Exists
	case c.Name == "DEL" || c.Name == "GETDEL" || c.Name == "HDEL":
		op.Do = Release
	case strings.HasSuffix(c.Name, "EXPIRE"):
		op.Do = Expire
	}
	if op.Do == 0 || op.Key == "" || op.Do == Release && s.cleansUp() {
		return nil
	}
	return op
}

// cleansUp reports whether a site only runs where something that was read is older than the
// clock of the process says: what has run out is cleared away, nothing is given back.
func (s *Site) cleansUp() bool {
	for _, st := range s.Path {
		if st.Branch != InBody || st.Stmt.Does != ir.If || st.Stmt.X == nil {
			continue
		}
		old := false
		st.Stmt.X.Each(func(x *ir.Expr) bool {
			if left, right := sides(x); left != nil {
				for _, pair := range [][2]*ir.Expr{{left, right}, {right, left}} {
					_, at := s.In.Clock(pair[1])
					old = old || at != nil && memberName(pair[0]) != ""
				}
			}
			return !old
		})
		if old {
			return true
		}
	}
	return false
}

// isFirst reports whether the number that a command returned is compared with one: who
// counted first has the lock. Where it is compared with more than that, or only begins to
// expire with the first, it is a count.
func (f *Function) isFirst(s *Site) (found bool) {
	o := &Op{Site: s}
	names := map[string]bool{}
	for _, n := range s.Names {
		names[n] = n != "err" && n != "_"
	}
	isOne := func(e *ir.Expr) bool { return (e.Kind == ir.Number || e.Kind == ir.String) && e.Name == "1" }
	counts := false
	f.eachStmt(func(st *ir.Stmt) {
		st.X.Each(func(x *ir.Expr) bool {
			if x.Kind == ir.Binary && len(x.Args) == 1 {
				left, right := o.onSide(x.X, names), o.onSide(x.Args[0], names)
				one := isOne(x.Args[0]) && left || isOne(x.X) && right
				found = found || one
				counts = counts || !one && isOrder(x.Name) && (left || right) || one && st.Does == ir.If && !negated(st.X) && f.onlyExpires(st.Body)
			}
			return true
		})
	})
	return found && !counts
}

// onlyExpires reports whether statements do nothing but set how long a key lasts.
func (f *Function) onlyExpires(list []*ir.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	expires := false
	for _, s := range f.Sites {
		if s.Pos() < list[0].Pos || s.Pos() >= list[len(list)-1].End {
			continue
		}
		c := f.redisCommand(s.Call)
		switch {
		case c != nil && strings.HasSuffix(c.Name, "EXPIRE"):
			expires = true
		case c != nil, !quiet[s.Call.Method()] && !transparent[s.Call.Method()] && !f.isLogging(s.Call):
			return false
		}
	}
	return expires
}

// nilIsError reports whether a client of Go tells by an error that a SET with NX did
// not set the key: go-redis does, but for SetNX, which has an answer of its own.
func (f *Function) nilIsError(e *ir.Expr) bool {
	if u := f.Unit.around[e]; u != nil && strings.HasPrefix(u.X.Path(), "redis.") {
		return true // redis.String(conn.Do(...)) makes an error of nil
	}
	return e.Method() == "SetArgs" || e.Method() == "Do" && strings.Contains(f.typeOf(e.Receiver()), "go-redis")
}

func (s *Script) does() Do {
	switch {
	case s.Deletes && s.Compares:
		return GiveUp
	case s.Deletes:
		return Release
	case s.Takes:
		return Acquire
	case s.Expires && s.Compares:
		return Renew
	case s.Expires:
		return Expire
	}
	return 0
}

// gives adds the errors that every call of a language may have to what it returns.
func (f *Function) gives(g Gives) Gives {
	if f.File.Language == ir.Go {
		return g | errors
	}
	return g | throws
}

var acquireVerbs = wordSet("acquire take obtain claim try grab get")
var releaseVerbs = wordSet("release unlock free drop")

// procedureOp reads the call of a stored procedure that is named like a lock's.
func (f *Function) procedureOp(s *Site) *Op {
	if op := f.appLock(s); op != nil {
		return op
	}
	name := ""
	if s.Call.Method() == "rpc" || s.Call.Method() == "callProcedure" || s.Call.Method() == "callproc" {
		name, _ = f.fold(s.Call.Arg(0))
	} else if q := f.textOnly(s.Call); q != nil && (q.Verb == "select" || q.Verb == "call" || q.Verb == "exec" || q.Verb == "execute" || q.Verb == "perform") && q.Table == "" {
		for _, c := range q.Calls {
			if advisory[c] == 0 {
				name = c
			}
		}
	}
	if !hasWord(name, lockWords) || advisory[name] != 0 {
		return nil
	}
	op := &Op{Site: s, Family: Procedure, Gives: f.gives(value)}
	var rest []string
	for _, w := range words(name) {
		switch {
		case acquireVerbs[w]:
			op.Do = Acquire
		case releaseVerbs[w]:
			op.Do = GiveUp
		default:
			rest = append(rest, w)
		}
	}
	op.Key = strings.Join(rest, " ")
	op.TTL.Set = true
	if op.Do == 0 {
		return nil
	}
	return op
}

// appLock reads a call that is handed the name of the procedure by which SQL Server locks.
func (f *Function) appLock(s *Site) *Op {
	for _, a := range s.Call.Args {
		name, ok := a.Literal()
		if name = strings.ToLower(name); !ok || name != "sp_getapplock" && name != "sp_releaseapplock" {
			continue
		}
		return f.advisoryOp(s, &Query{Statement: &query.Statement{Verb: "exec"}, Conn: s.Call.Receiver()}, name, advisory[name])
	}
	return nil
}

func (f *Function) textOnly(e *ir.Expr) *query.Statement {
	if e.Kind != ir.Call || through[e.Method()] && e.Method() != "sql" {
		return nil
	}
	if q := f.textStatement(e); q != nil {
		return q.Statement
	}
	return nil
}

var consulKV = &Library{Name: "Consul", Session: true}

// consulOp reads the acquire and the release of a key with a session of Consul.
func (f *Function) consulOp(s *Site) *Op {
	e := s.Call
	if op := f.sessionOp(s); op != nil {
		return op
	}
	if f.File.Language != ir.Go || e.Method() != "Acquire" && e.Method() != "Release" || len(e.Args) == 0 {
		return nil
	}
	pair := f.resolve(e.Args[0])
	if pair.Kind == ir.Unary {
		pair = pair.In.resolve(pair.X)
	}
	if pair.Kind != ir.Map || pair.Named("Session") == nil {
		return nil
	}
	op := &Op{Site: s, Do: Acquire, Family: Library_, Library: consulKV, Of: pair.Expr, Key: pair.In.Key(pair.Named("Key")), Gives: value | errors}
	if e.Method() == "Release" {
		op.Do = GiveUp
	}
	return op
}
