package lock

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
)

// Kind tells effects apart.
type Kind uint8

// The kinds of effects.
const (
	CacheFill Kind = iota + 1 // a value that can be made again
	Write                     // something durable
	Outside                   // something that another system does: mail, payment, message
)

// An Effect is what a call does to the world.
type Effect struct {
	*Site
	Kind       Kind
	What       string // in a reader's words
	Fenced     bool   // it carries a number that the destination compares
	Guarded    bool   // it has a condition of another kind: a version, an entity tag
	Moves      bool   // all that guards it is that it moves a row from one state to another
	Idempotent bool   // doing it twice does it once
	Query      *Query
	Far        bool   // a function of another package does it
	Object     string // what was changed in memory before, if that is what is written
	Grave      bool   // money, mail, messages
}

// effect reads what a call does to the world, nil if nothing.
func (f *Function) effect(s *Site) *Effect {
	for _, o := range s.Ops {
		if o.Lock != nil {
			return nil
		}
	}
	if e := f.outside(s); e != nil {
		return e
	}
	if q := f.statement(s.Call); q != nil && q.Writes() && (!f.isLockTable(q) || f.worksOn(q)) {
		if e := f.write(s, q); e != nil {
			return e
		}
	}
	if e := f.flushed(s); e != nil {
		return e
	}
	return f.storeWrite(s)
}

// worksOn reports whether a statement changes what a leased row is about, and not its lease:
// the result of a job, say.
func (f *Function) worksOn(q *Query) bool {
	r := f.Unit.roles[leaseTable(q.Table)]
	if r == nil || len(r.holders) == 0 || hasWord(q.Table, lockTables) || q.Verb != "update" || len(q.Sets) == 0 {
		return false
	}
	_, owner := q.Set(r.owner)
	_, until := q.Set(r.expiry)
	return !owner && !until
}

func (f *Function) write(s *Site, q *Query) *Effect {
	if q.Builder && !q.Item && !f.isDurable(s, q) && f.expressedStatement(s.Call) == nil {
		return nil
	}
	e := &Effect{Site: s, Kind: Write, Query: q, What: q.Verb + " of " + strings.Trim(q.Table, `"[]`)}
	tests := q.comparesFence()
	if r := f.Unit.roles[leaseTable(q.Table)]; r != nil && len(r.holders) > 0 {
		_, owned := q.Test(r.owner) // on its own row, whose lease it asks for
		tests = tests || owned
	}
	_, sets := q.Set(IsFence)
	e.Fenced = tests || q.Builder && (sets || mentionsFence(s.Call))
	_, version := q.Test(isVersion)
	e.Guarded = version || q.Guarded || q.Conflict == "nothing"
	e.Moves = !e.Guarded && q.moves()
	e.Guarded = e.Guarded || e.Moves
	return e
}

func isVersion(column string) bool {
	return hasWord(column, versionWords)
}

var (
	versionWords = wordSet("version etag rev rowversion lockversion updated")
	stateWords   = wordSet("state status")
)

// moves reports whether a statement moves a row from one state to another, and so
// does it once.
func (q *Query) moves() bool {
	isState := func(column string) bool { return hasWord(column, stateWords) }
	from, tests := q.Test(isState)
	to, sets := q.Set(isState)
	return tests && sets && from.Column == to.Column
}

// mentionsFence reports whether an argument is named like a fence.
func mentionsFence(e *ir.Expr) (found bool) {
	for i, a := range e.Args {
		if IsFence(e.Key(i)) {
			return true
		}
		a.Each(func(x *ir.Expr) bool {
			found = found || (x.Kind == ir.Name || x.Kind == ir.Member) && IsFence(x.Name)
			for _, k := range x.Keys {
				found = found || IsFence(k)
			}
			return !found
		})
	}
	return found
}

var notDurable = wordSet("set map list queue dict array cache session params headers form config logger log metrics set_cookie Set Map HashMap List ArrayList HashSet Promise Array Object Buffer Path File logger console Math JSON Date document window app router express store state")

// collections are types of what keeps rows, whatever a variable of one is called.
var collections = wordSet("Collection AsyncIOMotorCollection MongoCollection CollectionReference")

// isDurable tells the builder of a statement, or a mapped object, from anything else
// that has a method called update or save.
func (f *Function) isDurable(s *Site, q *Query) bool {
	t := strings.ToLower(strings.TrimPrefix(shortType(q.Table), "$"))
	if t == "" || (notDurable[t] || notDurable[shortType(q.Table)]) && !q.named && !collections[shortType(f.typeOf(s.Call.Receiver()))] {
		return false
	}
	m := normal(s.Call.Method())
	switch m {
	case "execute", "updates", "updatecolumn", "updatecolumns", "executetakefirst", "executetakefirstorthrow", "save", "save!", "update!", "update_all", "updateone", "updatemany", "update_one", "update_many", "insertone", "insertmany", "insert_one", "insert_many", "replace_one", "replaceone",
		"find_one_and_update", "findoneandupdate", "findbyidandupdate", "upsert", "create!", "destroy!", "put_item", "putitem", "putobject", "put_object", "update_item", "updateitem", "bulk_create", "bulk_update",
		"bulkwrite", "bulk_write", "update_columns", "update_column", "insert_all", "upsert_all", "saveandflush", "saveall", "persist", "update_attributes", "updateorcreate", "update_or_create", "insertgetid", "createmany", "increment!", "decrement!", "update_counters", "delete_all", "destroy_all", "deletemany", "delete_many", "deleteone", "delete_one", "saveorfail", "bulkcreate", "delete_item", "deleteitem":
		return true
	case "update", "insert", "create", "delete", "merge", "add", "destroy", "increment", "decrement":
		return f.speaksOrm(s.Call) && !f.isOfSession(s.Call)
	}
	return false
}

var ormWords = wordSet("prisma $em $entityManager manager objects knex db session em wpdb $wpdb entityManager supabase orm repository repo Model sequelize DB query table from typeorm mongoose")

// mappers are the types of what maps objects to rows, or puts statements together of calls.
var mappers = wordSet("Session EntityManager Knex DSLContext JPAQueryFactory JPAUpdateClause SQLQueryFactory StatelessSession")

// isOfSession reports whether a call makes or ends a session, of Consul or of a browser: those
// of mappers of objects are neither made nor ended so.
func (f *Function) isOfSession(e *ir.Expr) bool {
	if m := e.Method(); m != "create" && m != "Create" && m != "destroy" && m != "Destroy" {
		return false
	}
	of := e.Receiver()
	if f.resolve(e.Arg(0)).Kind == ir.Map && isUpper(of.Path()) && f.File.Language != ir.Go {
		return false // a mapped class that is called so
	}
	return strings.EqualFold(lastWord(strings.ReplaceAll(of.Path(), "::", ".")), "session")
}

// speaksOrm reports whether a chain begins at something that maps objects to rows.
func (f *Function) speaksOrm(e *ir.Expr) bool { return f.speaks(e, 4) }

func (f *Function) speaks(e *ir.Expr, depth int) (found bool) {
	if depth == 0 || e == nil || e.X == nil {
		return false
	}
	if f.File.Language == ir.JavaScript && namesTable(e) {
		return true
	}
	e.X.Each(func(x *ir.Expr) bool {
		found = found || (x.Kind == ir.Name || x.Kind == ir.Member) && ormWords[x.Name]
		return !found
	})
	if t := f.typeOf(e.Receiver()); mappers[shortType(t)] || strings.HasSuffix(shortType(t), "Repository") || strings.HasPrefix(t, "xorm.io/") || strings.HasPrefix(t, "gorm.io/") {
		return true
	}
	if c := e.Receiver(); c != nil && c.Kind == ir.Name && isUpper(c.Name) && (f.File.Language == ir.Ruby || f.File.Language == ir.PHP) {
		return true
	}
	if c := e.Receiver(); !found && c != nil && c.Kind == ir.Name { // an object that was read, one by one or alone
		if d, ok := f.lookup(c.Name, c.Pos); ok && d.x != nil && d.x.Kind != ir.Name {
			v := d.in.resolve(d.x)
			return v.In.speaks(v.Expr, depth-1)
		}
	}
	if c := e.Receiver(); !found && c != nil && c.Kind == ir.Call {
		return f.speaks(c, depth-1)
	}
	return found
}

// namesTable reports whether a chain begins at a call of something that is handed the name of a
// table, as knex and its transactions are, and inserts or asks for a row:
// trx("stock").where(...).
func namesTable(e *ir.Expr) bool {
	x, rows := e.Receiver(), e.Method() == "insert"
	for x != nil && x.Kind == ir.Call && x.Receiver() != nil {
		rows = rows || strings.HasPrefix(x.Method(), "where")
		x = x.Receiver()
	}
	if !rows {
		return false
	}
	if x == nil || x.Kind != ir.Call || x.X.Kind != ir.Name || len(x.Args) != 1 {
		return false
	}
	text, ok := x.Args[0].Literal()
	return ok && isTable(text)
}

// storeWrite reads writes to stores that are neither SQL nor mapped objects.
func (f *Function) storeWrite(s *Site) *Effect {
	e := s.Call
	method := e.Method()
	if w := f.nodeWrite(s); w != nil {
		return w
	}
	switch {
	case f.File.Language == ir.Go && method == "PutObject" && len(e.Args) >= 2:
		input := f.resolve(e.Args[1])
		guarded := input.Expr != nil && (input.Named("IfMatch") != nil || input.Named("IfNoneMatch") != nil)
		return &Effect{Site: s, Kind: Write, What: "the write of an object", Guarded: guarded}
	case f.File.Language == ir.Go && (method == "Put" || method == "PutString" || method == "Set") && f.keepsKeys(e.Receiver()):
		return &Effect{Site: s, Kind: Write, What: "the write of a key"}
	case method == "put" && e.Named("Body") != nil:
		return &Effect{Site: s, Kind: Write, What: "the write of an object", Guarded: e.Named("IfMatch") != nil || e.Named("IfNoneMatch") != nil}
	case method == "cp" || e.X.Path() == "aws" && len(e.Args) > 1:
		if text, _ := e.Arg(0).Literal(); text == "s3" && f.File.Language == ir.Shell {
			return &Effect{Site: s, Kind: Write, What: "the copy of an object"}
		}
	}
	if c := f.redisCommand(e); c != nil && c.Key != nil && c.Script == nil {
		switch c.Name {
		case "SET", "SETEX", "PSETEX", "DEL", "EXPIRE", "PEXPIRE":
			return &Effect{Site: s, Kind: CacheFill, What: "the write of a key in Redis", Idempotent: true}
		}
	}
	return nil
}

// effectsAt are what a call does by itself: what the package that it calls is known
// to do, or else what it looks like.
func (u *Unit) effectsAt(f *Function, s *Site) []*Effect {
	if list := u.farEffects(f, s); len(list) > 0 {
		return list
	}
	if e := f.effect(s); e != nil {
		return []*Effect{e}
	}
	return nil
}

// keepers are modules of Go whose clients keep keys for good.
var keepers = []string{"etcd/client", "clientv3", "hashicorp/consul/api", "nats.go", "firestore"}

// keepsKeys reports whether a client of Go is one of a store of keys.
func (f *Function) keepsKeys(e *ir.Expr) bool {
	for x := e; x != nil; x = x.X {
		t := f.typeOf(x)
		for _, k := range keepers {
			if strings.Contains(t, k) {
				return true
			}
		}
		if x.Kind == ir.Call && x.Method() == "KV" && imports(f.File, "consul") {
			return true
		}
		if x.Kind != ir.Call && x.Kind != ir.Member {
			return false
		}
	}
	return false
}

func imports(f *ir.File, part string) bool {
	for _, i := range f.Imports {
		if strings.Contains(i.Path, part) {
			return true
		}
	}
	return false
}

// effectsOf are the effects of a function, those of its helpers included.
func (u *Unit) effectsOf(f *Function, depth int) []*Effect {
	if list, ok := u.effects[f]; ok {
		return list
	}
	u.effects[f] = nil // recursion ends here
	list := []*Effect{}
	for _, s := range f.Sites {
		list = append(list, u.effectsAt(f, s)...)
	}
	if depth > 0 {
		for _, c := range f.calls {
			if len(list) < 200 {
				list = append(list, u.effectsOf(c.to, depth-1)...)
			}
		}
	}
	u.effects[f] = list
	return list
}
