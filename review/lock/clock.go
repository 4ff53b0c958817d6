package lock

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
)

// clockCalls are the ends of calls that read the clock of the process.
var clockCalls = []string{
	"time.Now", "time.Since", "time.Until", "time.time", "time.time_ns", "datetime.now", "datetime.utcnow", "timezone.now", "utcnow", "time.monotonic", "time.monotonic_ns",
	"Date.now", "performance.now", "process.hrtime", "process.hrtime.bigint", "System.currentTimeMillis", "System.nanoTime", "Instant.now", "LocalDateTime.now",
	"OffsetDateTime.now", "ZonedDateTime.now", "Clock.systemUTC", "Time.now", "Time.current", "DateTime.now", "DateTime.current", "Process.clock_gettime",
	"microtime", "hrtime", "time", "Carbon.now", "clock.millis", "clock.instant", "ngx.now", "ngx.time", "os.time", "os.clock", "date", "dayjs", "moment", "Time.zone.now", "now", "hrtime.bigint",
}

// Clock finds where a value is read off the clock of the process, nil if it is not.
func (f *Function) Clock(e *ir.Expr) (in *Function, at *ir.Expr) {
	return f.trace(e, 8, func(f *Function, x *ir.Expr) bool { return f.isClock(x) })
}

func (f *Function) isClock(x *ir.Expr) bool {
	switch x.Kind {
	case ir.New:
		return x.Method() == "Date" && len(x.Args) == 0
	case ir.Call, ir.Member:
	default:
		return false
	}
	path := x.Path()
	if x.Kind == ir.Call {
		path = x.X.Path()
	}
	for _, c := range clockCalls {
		if path != c && !strings.HasSuffix(path, "."+c) {
			continue
		}
		switch c {
		case "time", "date", "now", "moment", "dayjs", "microtime", "hrtime":
			if x.Kind != ir.Call || f.File.Language == ir.SQL || f.Unit.callee(f, x) != nil {
				continue
			}
			return path == c || c == "now"
		}
		return x.Kind == ir.Call || f.File.Language == ir.Ruby
	}
	return false
}

// uniqueCalls make values that nobody else has, in no order.
var uniqueCalls = wordSet("uuid4 uuid1 uuid7 uuid randomUUID NewString NewRandom NewV4 token_hex token_urlsafe token_bytes randint getrandbits random_bytes randomBytes random_int uniqid hex nextInt nextLong Int63 Int31n Intn Int63n Uint64 nanoid SecureRandom random mt_rand rand v4 ulid randrange ObjectId")

// Random finds where a value is random, nil if it is not.
func (f *Function) Random(e *ir.Expr) (in *Function, at *ir.Expr) {
	return f.trace(e, 8, func(f *Function, x *ir.Expr) bool {
		return (x.Kind == ir.Call || x.Kind == ir.New) && uniqueCalls[x.Method()] && !strings.Contains(x.X.Path(), "redis")
	})
}

// Counter finds where a value is counted in the process, nil if it is not.
func (f *Function) Counter(e *ir.Expr) (in *Function, at *ir.Expr) {
	return f.trace(e, 6, func(f *Function, x *ir.Expr) bool {
		switch x.Kind {
		case ir.Unary:
			return x.Name == "++" && (x.X.Kind == ir.Name || x.X.Kind == ir.Member)
		case ir.Call:
			switch m := x.Method(); m {
			case "incrementAndGet", "getAndIncrement", "AddInt64", "AddUint64", "AddInt32":
				return !strings.Contains(strings.ToLower(f.typeOf(x.Receiver())), "redis") && !strings.Contains(f.typeOf(x.Receiver()), "RAtomicLong")
			case "Add":
				return strings.Contains(f.typeOf(x.Receiver()), "atomic.")
			case "next":
				return x.Receiver() == nil && f.File.Language == ir.Python
			}
		}
		return false
	})
}

// Comes reports whether a part of what a value was made of matches.
func (f *Function) Comes(e *ir.Expr, match func(*ir.Expr) bool) bool {
	_, at := f.trace(e, 6, func(_ *Function, x *ir.Expr) bool { return match(x) })
	return at != nil
}

// maxSteps bounds how far a value is followed.
const maxSteps = 400

func (f *Function) trace(e *ir.Expr, depth int, match func(*Function, *ir.Expr) bool) (in *Function, at *ir.Expr) {
	t := &tracer{match: match, steps: maxSteps}
	t.source(f, e, depth, false)
	return t.in, t.at
}

// A tracer follows a value to the first part of it that matches.
type tracer struct {
	match func(*Function, *ir.Expr) bool
	steps int // how much further
	in    *Function
	at    *ir.Expr
}

// source looks at a value. Of is set if only a part of it is asked for: what a helper
// returns is then made of other things too.
func (t *tracer) source(f *Function, e *ir.Expr, depth int, of bool) {
	if e == nil || depth == 0 {
		return
	}
	e.Each(func(x *ir.Expr) bool {
		if t.steps--; t.at != nil || x.Kind == ir.Lambda || t.steps < 0 {
			return false
		}
		if t.match(f, x) {
			t.in, t.at = f, x
			return false
		}
		switch x.Kind {
		case ir.Call:
			if handsOn(x) {
				return true
			}
			t.source(f, x.Receiver(), depth, true)
			if !of {
				t.helper(f, x, depth)
			}
			return false
		case ir.Name:
			t.name(f, x, depth, of)
			return false
		case ir.Member:
			if v := f.resolve(x); v.Expr != nil && v.Expr != x {
				t.source(v.In, v.Expr, depth-1, of)
			}
			t.source(f, x.X, depth, true)
			return false
		case ir.Index:
			t.source(f, x.X, depth, true)
			return false
		}
		return true
	})
}

func (t *tracer) name(f *Function, x *ir.Expr, depth int, of bool) {
	if v := f.resolve(x); v.Expr != nil && v.Expr != x {
		t.source(v.In, v.Expr, depth-1, of)
		return
	}
	if d, ok := f.lookup(x.Name, x.Pos); ok && d.index >= 0 && d.x != nil && t.match(d.in, d.x) {
		t.in, t.at = d.in, d.x
	}
}

// most is how many statements a helper has that only makes a value.
const most = 4

// helper looks at what a small function of the unit returns, and at what it is handed
// if it returns that in another form.
func (t *tracer) helper(f *Function, e *ir.Expr, depth int) {
	g := f.Unit.callee(f, e)
	if g == nil || g == f || len(g.Body) > most {
		return
	}
	handsOn := false
	g.eachStmt(func(s *ir.Stmt) {
		last := g.Short && s.Does == ir.Eval && s == g.Body[len(g.Body)-1]
		if s.Does != ir.Return && !last || s.X == nil || t.at != nil {
			return
		}
		if s.X.Kind != ir.Map && s.X.Kind != ir.List {
			t.source(g, s.X, depth-1, false)
		}
		s.X.Each(func(x *ir.Expr) bool {
			handsOn = handsOn || x.Kind == ir.Name && g.paramIndex(x.Name) >= 0
			return !handsOn
		})
	})
	if handsOn && len(g.Sites) < most {
		for _, a := range e.Args {
			t.source(f, a, depth-1, false)
		}
	}
}

var handOn = wordSet("int str float long Number BigInt parseInt String strval intval valueOf toString format Sprintf hex floor round ceil trunc abs max min FormatInt Itoa EncodeToString encode b64encode dumps json_encode stringify bytes gmdate strtotime isoformat")

// handsOn reports whether a call returns what its arguments are, in another form.
func handsOn(e *ir.Expr) bool {
	name := e.Method()
	if handOn[name] || isUpper(name) && e.Receiver() == nil || isUpper(lastWord(e.X.Path())) && e.Receiver() != nil && isUpper(firstWord(e.X.Path())) {
		return true
	}
	first := words(name)
	return len(first) > 0 && (first[0] == "from" || first[0] == "to" || first[0] == "of" || first[0] == "new" || first[0] == "parse" || first[0] == "strftime")
}

// Resolve follows names to what they were given.
func (f *Function) Resolve(e *ir.Expr) Value { return f.resolve(e) }

// TypeOf names the type of a value, "" if it is not known.
func (f *Function) TypeOf(e *ir.Expr) string { return f.typeOf(e) }

// Fold is the text of a value, with ir.Hole for what is not known.
func (f *Function) Fold(e *ir.Expr) (string, bool) { return f.fold(e) }

// Statement reads the SQL that a call sends, nil if it sends none.
func (f *Function) Statement(e *ir.Expr) *Query { return f.statement(e) }

// Effect reads what a call does to the world, nil if nothing.
func (f *Function) Effect(s *Site) *Effect { return f.effect(s) }

// EachStmt calls g for the statements of a function, those of its lambdas too.
func (f *Function) EachStmt(g func(*ir.Stmt)) { f.eachStmt(g) }

// Watches reports whether a function uses an optimistic transaction of Redis.
func (f *Function) Watches() bool { return f.watches() }

// LocksRow reports whether a function locks rows of a database as it reads them.
func (f *Function) LocksRow() bool { return f.locksRow() }

// Exits reports whether statements end by leaving where they stand.
func Exits(list []*ir.Stmt) bool { return exits(list) }

// Param reports whether a name is a parameter of a function.
func (f *Function) Param(name string) bool {
	_, ok := f.param(name)
	return ok
}

// HasWord reports whether a name has one of some words, however they are joined.
func HasWord(name string, list string) bool { return hasWord(name, wordSet(list)) }

// Duration is what a value lasts if a bare number counts the unit, 0 if that is not
// known.
func (f *Function) Duration(e *ir.Expr, t TTL) (known bool) { return f.duration(e, t.Unit) > 0 }
