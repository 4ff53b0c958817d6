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
	"microtime", "hrtime", "time", "Carbon.now", "clock.millis", "clock.instant", "ngx.now", "ngx.time", "os.time", "os.clock", "date", "dayjs", "moment", "Time.zone.now", "now", "hrtime.bigint", "from_now",
}

// Clock finds where a value is read off the clock of the process, nil if it is not.
func (f *Function) Clock(e *ir.Expr) (in *Function, at *ir.Expr) {
	return f.trace(e, 8, func(f *Function, x *ir.Expr) bool { return f.isClock(x) })
}

func (f *Function) isClock(x *ir.Expr) bool {
	switch x.Kind {
	case ir.New:
		t := shortType(x.X.Path())
		return len(x.Args) == 0 && (t == "Date" || t == "DateTime" || t == "DateTimeImmutable")
	case ir.Call, ir.Member:
	default:
		return false
	}
	path := x.Path()
	if x.Kind == ir.Call {
		path = x.X.Path()
	}
	if of := x.Receiver().Path(); of == "func" || of == "fn" || strings.HasSuffix(of, ".fn") {
		return false // the clock of the database, as builders of statements have it
	}
	if f.File.Language == ir.Python {
		path = f.qualify(path)
	}
	for _, c := range clockCalls {
		if path != c && !strings.HasSuffix(path, "."+c) {
			continue
		}
		switch c {
		case "time", "date", "now", "moment", "dayjs", "microtime", "hrtime":
			if x.Kind != ir.Call || f.File.Language == ir.SQL || f.Unit.callee(f, x) != nil || f.isInStatement(x) {
				continue
			}
			return path == c || c == "now"
		}
		return x.Kind == ir.Call || f.File.Language == ir.Ruby
	}
	return false
}

// isInStatement reports whether a call makes a part of a statement, which the database works
// out: fn.now(), func.now(), DSL.now().
func (f *Function) isInStatement(e *ir.Expr) bool {
	switch lastWord(e.Receiver().Path()) {
	case "fn", "func", "functions", "DSL":
		return true
	case "":
		return f.File.Language == ir.Java && imports(f.File, "org.jooq")
	}
	return false
}

// uniqueCalls make values that nobody else has, in no order.
var uniqueCalls = wordSet("uuid4 uuid1 uuid7 uuid randomUUID NewString NewRandom NewV4 token_hex token_urlsafe token_bytes randint getrandbits random_bytes randomBytes random_int uniqid hex nextInt nextLong Int63 Int31n Intn Int63n nanoid SecureRandom random mt_rand rand v4 ulid randrange ObjectId")

// Random finds where a value is random, nil if it is not.
func (f *Function) Random(e *ir.Expr) (in *Function, at *ir.Expr) {
	return f.trace(e, 8, func(f *Function, x *ir.Expr) bool {
		if x.Kind == ir.Member && f.File.Language == ir.Ruby {
			return uniqueCalls[x.Name] && hasWord(x.X.Path(), randomModules) // a call without arguments
		}
		if x.Kind != ir.Call && x.Kind != ir.New || strings.Contains(x.X.Path(), "redis") {
			return false
		}
		return uniqueCalls[x.Method()] || x.X.Kind == ir.Member && hasWord(f.qualify(x.X.X.Path()), randomModules)
	})
}

// randomModules make values that nobody else has, whatever their functions are called.
var randomModules = wordSet("rand random uuid ulid xid ksuid nanoid secrets securerandom guid cuid threadlocalrandom snowflake")

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

// Resolve follows names to what they were given.
func (f *Function) Resolve(e *ir.Expr) Value { return f.resolve(e) }

// TypeOf names the type of a value, "" if it is not known.
func (f *Function) TypeOf(e *ir.Expr) string { return f.typeOf(e) }

// Fold is the text of a value, with ir.Hole for what is not known.
func (f *Function) Fold(e *ir.Expr) (string, bool) { return f.fold(e) }

// Statement reads the SQL that a call sends, nil if it sends none.
func (f *Function) Statement(e *ir.Expr) *Query { return f.statement(e) }

// Callee is the function of the unit that a call of this one calls, nil if it is none of it.
func (f *Function) Callee(s *Site) *Function { return f.Unit.callee(f, s.Call) }

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
