package lock

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/query"
)

// A Query is a statement that a call sends, by its text or through a builder.
type Query struct {
	*query.Statement
	Conn    *ir.Expr
	Builder bool // it was put together by calls: no text
	Guarded bool // a condition stands in it that cannot be read
	named   bool // its table is named by a text
	ensures bool // it makes the row if there is none, and returns the one that is there
	Item    bool // it is a request of DynamoDB, whose table is only known when it runs perhaps
}

// statement reads a call that sends SQL, or what a builder of statements makes;
// nil if it does neither.
func (f *Function) statement(e *ir.Expr) *Query {
	q, known := f.Unit.queries[e]
	if !known {
		q = f.readStatement(e)
		f.Unit.queries[e] = q
	}
	return q
}

func (f *Function) readStatement(e *ir.Expr) *Query {
	if e.Kind != ir.Call || through[e.Method()] && e.Method() != "sql" && e.Method() != "raw" && e.Method() != "unsafe" {
		return nil
	}
	if q := f.textStatement(e); q != nil {
		return q
	}
	if q := f.itemStatement(e); q != nil {
		return q
	}
	if q := f.expressedStatement(e); q != nil {
		return q
	}
	return f.builderStatement(e)
}

// texts are the texts in an expression, one after the other.
func (f *Function) texts(e *ir.Expr) (text string) {
	e.Each(func(x *ir.Expr) bool {
		if t, ok := f.fold(x); ok {
			text += t + " "
			return false
		}
		return true
	})
	return text
}

var notSenders = wordSet("log info warn error debug print println printf Printf Println Errorf New Error Info Warn Debug panic puts fmt append push format log_info trace replace match test split startsWith contains equals addTags describe it Run")

func (f *Function) textStatement(e *ir.Expr) *Query {
	if notSenders[e.Method()] {
		return nil
	}
	for _, a := range e.Args[:min(len(e.Args), 3)] {
		if a.Kind == ir.Lambda || a.Kind == ir.Number || a.Kind == ir.Map {
			continue
		}
		if text, ok := f.fold(a); ok && query.Looks(text) {
			if s := f.Unit.statement(text); s != nil {
				return &Query{Statement: s, Conn: f.sentThrough(e)}
			}
		}
	}
	if of := unbound(e.Receiver()); runs[e.Method()] && of != nil && of.Kind != ir.String {
		if text, ok := f.fold(of); ok && query.Looks(text) {
			if s := f.Unit.statement(text); s != nil {
				q := &Query{Statement: s, Conn: f.preparedOn(of)}
				if q.Conn == nil && f.File.Language == ir.JavaScript {
					q.Conn = e.Arg(0) // sql`...`.execute(db)
				}
				return q
			}
		}
	}
	return nil
}

// unbound is the call that a chain of values begins at which are bound to a statement:
// createNativeQuery(text) of createNativeQuery(text).setParameter("id", id).
func unbound(e *ir.Expr) *ir.Expr {
	for e != nil && e.Kind == ir.Call && e.Receiver() != nil && hasWord(e.Method(), bindVerbs) {
		e = e.Receiver()
	}
	return e
}

// sentThrough is what a call sends a statement through: its receiver, or what a helper of
// the unit is handed to send it through.
func (f *Function) sentThrough(e *ir.Expr) *ir.Expr {
	g := f.Unit.callee(f, e)
	if g == nil {
		return e.Receiver()
	}
	for _, s := range g.Sites {
		a, conn := s.Call.Arg(0), s.Call.Receiver()
		if a != nil && g.File.Language == ir.Go && len(s.Call.Args) > 1 && g.paramIndex(a.Name) == 0 {
			a = s.Call.Arg(1)
		}
		if a == nil || a.Kind != ir.Name || conn == nil || g.paramIndex(a.Name) < 0 {
			continue
		}
		if field := g.ownField(conn); field != nil && g.class() != nil && g.class() == f.class() {
			return field
		}
		if conn.Kind != ir.Name {
			continue
		}
		if i := g.paramIndex(conn.Name); i >= 0 {
			return call{site: &Site{Call: e, In: f}, to: g}.argument(i, conn.Name)
		}
	}
	return e.Receiver()
}

// ownField is the field of its own object that a function sends something through, itself, by a
// cursor, by a statement that was made of it; nil if it is none.
func (g *Function) ownField(e *ir.Expr) *ir.Expr {
	for range 4 {
		v := Value{e, g}
		if e.Kind == ir.Name && e.Name != "this" {
			d, ok := g.lookup(e.Name, e.Pos)
			if !ok || d.in != g {
				return g.bareField(e)
			}
			if d.x == nil {
				return nil
			}
			v.Expr = d.x
		}
		for v.Kind == ir.Call || v.Kind == ir.Await {
			if borrowers[v.Method()] {
				return nil // another connection each time
			}
			if v.Expr = v.X; v.Kind == ir.Member {
				v.Expr = v.X
			}
		}
		switch {
		case v.Kind == ir.Member && v.X.Kind == ir.Name && v.X.Name == "this":
			return v.Expr
		case v.Kind != ir.Name || v.Expr == e:
			return nil
		}
		e = v.Expr
	}
	return nil
}

// bareField is a name, if it is that of a field of the function's own object, as Java and Ruby
// write one; nil if it is none.
func (g *Function) bareField(e *ir.Expr) *ir.Expr {
	if _, param := g.param(e.Name); param || g.class() == nil {
		return nil
	}
	if _, ok := g.Unit.fields[g.class().Name][e.Name]; !ok {
		return nil
	}
	return e
}

// SameConnection reports whether a statement goes over the connection that a lock was taken on,
// by a cursor of it perhaps.
func (o *Op) SameConnection(q *Query, in *Function) bool {
	if q == nil || q.Conn == nil || o.Conn == nil {
		return false
	}
	if q.Conn.Path() == o.Conn.Path() {
		return true
	}
	mine, taken := in.ownField(q.Conn), o.In.ownField(o.Conn)
	return mine != nil && taken != nil && in.class() != nil && in.class() == o.In.class() && mine.Path() == taken.Path()
}

var runs = wordSet("execute executeUpdate executeQuery run Exec ExecContext Query QueryRow QueryContext QueryRowContext exec all fetch getSingleResult getSingleResultOrNull getResultList uniqueResult update")

// preparedOn is the connection that a statement was prepared on.
func (f *Function) preparedOn(e *ir.Expr) *ir.Expr {
	v := f.resolve(e)
	return v.Receiver()
}

// builders are the words by which builders and mappers of objects write and read.
var builders = map[string]string{
	"insert": "insert", "insertone": "insert", "insertmany": "insert", "insert_one": "insert", "insert_many": "insert", "create": "insert", "create!": "insert", "createmany": "insert", "bulk_create": "insert", "insert_all": "insert", "bulkcreate": "insert", "insertgetid": "insert", "findorcreate": "insert", "get_or_create": "insert", "firstorcreate": "insert", "insertorignore": "insert",
	"update": "update", "update!": "update", "updateone": "update", "updates": "update", "updatemany": "update", "update_one": "update", "update_many": "update", "update_all": "update", "update_columns": "update", "update_attributes": "update", "update_attribute": "update", "replace_one": "update", "replaceone": "update", "find_one_and_update": "update", "findoneandupdate": "update", "findbyidandupdate": "update", "bulk_update": "update", "updateorcreate": "update", "update_or_create": "update", "increment": "update", "decrement": "update", "increment!": "update", "decrement!": "update", "update_counters": "update", "increment_counter": "update", "decrement_counter": "update", "findandmodify": "update", "find_and_modify": "update", "set": "update", "update_item": "update", "updateitem": "update", "bulkwrite": "update", "bulk_write": "update", "saveall": "update", "saveandflush": "update", "update_column": "update", "toggle!": "update",
	"upsert": "upsert", "upsert_all": "upsert", "put_item": "upsert", "putitem": "upsert", "put": "upsert", "save": "upsert", "save!": "upsert", "persist": "upsert", "merge": "upsert", "put_object": "upsert", "putobject": "upsert", "add": "upsert", "saveorfail": "upsert",
	"delete": "delete", "del": "delete", "destroy": "delete", "destroy!": "delete", "delete_all": "delete", "destroy_all": "delete", "delete_one": "delete", "deleteone": "delete", "deletemany": "delete", "delete_many": "delete", "remove": "delete", "delete_item": "delete", "deleteitem": "delete", "delete!": "delete",
	"find": "select", "findone": "select", "find_one": "select", "findunique": "select", "findfirst": "select", "findby": "select", "find_by": "select", "find_by!": "select", "findbyid": "select", "first": "select", "one": "select", "one_or_none": "select", "first_or_create": "insert", "find_or_create_by": "insert", "find_or_create_by!": "insert", "find_or_initialize_by": "select", "get": "select", "get_item": "select", "getitem": "select", "findbypk": "select", "exists": "select", "exists?": "select", "scalar_one_or_none": "select", "select": "select", "maybesingle": "select", "single": "select",
	"firstornew": "select", "count": "select", "any?": "select", "empty?": "select", "countdocuments": "select", "count_documents": "select", "countby": "select",
}

// ensurers make a row if there is none, and return the one that is there.
var ensurers = wordSet("get_or_create findorcreate firstorcreate find_or_create_by find_or_create_by! first_or_create")

// tableMakers are calls whose argument names the table.
var tableMakers = wordSet("from table into collection Collection getCollection get_collection knex db query get_repository getRepository Table Model model define")

// builderStatement reads a chain such as db('locks').where({ id }).update({ x }).
func (f *Function) builderStatement(e *ir.Expr) *Query {
	verb, begin := builtVerb(e), e
	if verb == "" {
		verb, begin = begunBy(e)
	}
	if verb == "" {
		return nil
	}
	if f.puts(e) {
		verb = "upsert"
	}
	q := &Query{Statement: &query.Statement{Verb: verb}, Builder: true, ensures: ensurers[normal(e.Method())]}
	if begin != e {
		q.Table, _ = f.fold(begin.Arg(0))
		q.Conn = begin.Receiver()
	} else {
		f.about(q, e)
	}
	if q.Table == "" {
		return nil
	}
	f.conditions(q, e)
	f.saved(q, e)
	if q.Verb == "insert" || q.Verb == "upsert" {
		q.conflict(e, f.Unit.above)
	}
	return q
}

// builtVerb is what a method of a builder or a mapper does, "" if it is none of one.
func builtVerb(e *ir.Expr) string {
	if verb := builders[normal(e.Method())]; verb != "" {
		return verb
	}
	switch m := strings.ToLower(e.Method()); {
	case strings.HasPrefix(m, "deleteby"), strings.HasPrefix(m, "removeby"):
		return "delete"
	case strings.HasPrefix(m, "findby"), strings.HasPrefix(m, "findone"), strings.HasPrefix(m, "existsby"):
		return "select"
	}
	return ""
}

// about finds the table of a call, and what it is sent through.
func (f *Function) about(q *Query, e *ir.Expr) {
	if q.Table = f.ownClass(e); q.Table != "" || e.Receiver() == nil {
		return
	}
	if q.Table, q.Conn = f.modelOf(e), e.Receiver(); q.Table != "" {
		return
	}
	if text, ok := e.Arg(0).Literal(); ok && isTable(text) && len(e.Args) > 1 && f.resolve(e.Args[1]).Kind == ir.Map {
		q.Table, q.named = text, true // update("stock", row, where)
		return
	}
	if a := e.Arg(0); len(e.Args) == 1 && f.Unit.begins(e) && a != nil && (a.Kind == ir.Name || a.Kind == ir.Member) {
		q.Table, q.Conn, q.named = lastWord(a.Path()), e.Receiver(), true // db.update(stock).set(row)
		return
	}
	q.Table, q.Conn = f.tableOf(e)
	if t := f.managed(e, q.Table); t != "" {
		q.Table = t
	}
}

// begins reports whether a call begins a chain that goes on with what is set, or where.
func (u *Unit) begins(e *ir.Expr) bool {
	next := u.above[e]
	return next != nil && (next.Method() == "set" || next.Method() == "values" || next.Method() == "where" || next.Method() == "setNull")
}

// managed is the class that the manager of mapped objects is asked for, or handed an object
// of: em.find(Desk.class, id), em.persist(desk); "" if a call is none of one.
func (f *Function) managed(e *ir.Expr, table string) string {
	a := e.Arg(0)
	if !managers[table] || a == nil {
		return ""
	}
	if a.Kind == ir.Member && a.Name == "class" {
		return lastWord(a.X.Path())
	}
	return shortType(f.typeOf(a))
}

var managers = wordSet("EntityManager Session SessionFactory StatelessSession")

// isTable reports whether a text may be the name of a table.
func isTable(text string) bool {
	return text != "" && strings.IndexFunc(text, func(r rune) bool {
		return r != '_' && r != '.' && !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9')
	}) < 0
}

// begunBy finds the call that begins the chain which a call sends, and what it does:
// db.updateTable("stock").set(row).where("id", "=", id).execute().
func begunBy(e *ir.Expr) (verb string, begin *ir.Expr) {
	if !strings.HasPrefix(e.Method(), "execute") || len(e.Args) > 0 {
		return "", e
	}
	for x := e.Receiver(); x != nil && x.Kind == ir.Call; x = x.Receiver() {
		switch x.Method() {
		case "updateTable":
			return "update", x
		case "insertInto":
			return "insert", x
		case "deleteFrom":
			return "delete", x
		}
	}
	return "", e
}

// tableOf finds what a chain is about: a table named by a text, a model, the field
// of a client, the class of an object.
func (f *Function) tableOf(e *ir.Expr) (table string, conn *ir.Expr) {
	x := e.Receiver()
	for range 20 { // a chain that is made of itself ends here
		if x == nil {
			return "", nil
		}
		x = f.resolve(x).Expr
		if x.Kind == ir.Call || x.Kind == ir.New {
			if t := f.namedTable(x); t != "" {
				return t, x.Receiver()
			}
		}
		switch x.Kind {
		case ir.Call:
			if x.Receiver() == nil {
				if t := f.ownClass(x); t != "" && (builders[normal(x.Method())] != "" || wheres[x.Method()]) {
					return t, nil
				}
				return shortType(f.typeOf(x)), nil
			}
			x = x.Receiver()
		case ir.Member:
			if x.Name == "objects" && x.X.Path() == "this" && f.class() != nil {
				return f.class().Name, nil
			}
			if x.Path() == "this.class" && f.class() != nil {
				return f.class().Name, nil
			}
			if x.Name == "objects" || x.Name == "query" && isUpper(x.X.Path()) {
				return lastWord(x.X.Path()), nil
			}
			return f.memberTable(x), x.X
		case ir.Name:
			return f.nameTable(e, x), nil
		case ir.Index:
			if text, ok := x.Args[len(x.Args)-1].Literal(); ok && len(x.Args) == 1 && f.indexesTables(e) && isTable(text) {
				return text, x.X // DB[:stock], db["stock"]
			}
			x = x.X
		case ir.Await, ir.Unary:
			x = x.X
		default:
			return "", nil
		}
	}
	return "", nil
}

// indexesTables reports whether what a call is sent through may be asked for a table by its
// name in brackets: in Ruby, and by the clients of MongoDB in Python.
func (f *Function) indexesTables(e *ir.Expr) bool {
	switch f.File.Language {
	case ir.Ruby:
		return true
	case ir.Python:
		name := e.Method()
		return strings.Contains(name, "_one") || strings.HasSuffix(name, "_many") || name == "count_documents"
	}
	return false
}

func (f *Function) namedTable(x *ir.Expr) string {
	if tableMakers[x.Method()] && len(x.Args) > 0 {
		if text, ok := f.fold(x.Arg(0)); ok && text != "" && !strings.Contains(text, " ") {
			return text
		}
		if a := x.Arg(0); a != nil && a.Kind == ir.Name && isUpper(a.Name) {
			return a.Name
		}
		if a := x.Arg(0); a != nil && a.Kind == ir.Member && a.Name == "class" {
			return a.X.Path()
		}
	}
	if x.X != nil && x.X.Kind == ir.Name && len(x.Args) == 1 && x.Kind == ir.Call {
		if text, ok := x.Arg(0).Literal(); ok && text != "" && !strings.ContainsAny(text, " :/.") && f.File.Language == ir.JavaScript {
			return text
		}
	}
	return ""
}

// plainTypes stand for any table: what the variable is called says which.
var plainTypes = wordSet("Collection Table Repository Model Object AsyncIOMotorCollection MongoCollection CollectionReference")

func (f *Function) memberTable(x *ir.Expr) string {
	if t := shortType(f.typeOf(x)); t != "" && !plainTypes[t] {
		return t
	}
	return x.Name
}

func (f *Function) nameTable(e, x *ir.Expr) string {
	if isUpper(x.Name) {
		return x.Name
	}
	for _, a := range e.Args { // session.add(JobLock(...)), em.persist(entity)
		v := f.resolve(a)
		if v.Expr != nil && (v.Kind == ir.Call && isUpper(v.Method()) || v.Kind == ir.New) && f.Unit.classes[v.Method()] != nil {
			return v.Method()
		}
	}
	if t := shortType(f.typeOf(x)); t != "" && !plainTypes[t] {
		return t
	}
	if t := f.loadedFrom(x.Name, x.Pos); t != "" {
		return t
	}
	if x.Name == "this" && f.class() != nil {
		return f.class().Name
	}
	return strings.TrimPrefix(x.Name, "$")
}
