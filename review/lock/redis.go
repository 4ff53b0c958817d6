package lock

import (
	"strings"
	"time"

	"github.com/ringfence-go/ringfence/review/ir"
)

// A Command is a Redis command, whatever client sends it.
type Command struct {
	Name   string // in upper case; SET for all its relatives
	Key    *ir.Expr
	Value  *ir.Expr
	NX, XX bool
	IfEq   bool // it compares the value itself: IFEQ, DELEX, DELIFEQ
	TTL    TTL
	Script *Script
}

// methods are the names under which clients offer commands, in lower case and
// without what says that they wait or don't.
var methods = map[string]string{
	"set": "SET", "setnx": "SETNX", "setifabsent": "SETNX", "set_nx": "SETNX", "setex": "SETEX", "psetex": "PSETEX", "setargs": "SET",
	"get": "GET", "getset": "GETSET", "getdel": "GETDEL", "getandset": "GETSET",
	"del": "DEL", "delete": "DEL", "unlink": "DEL", "expire": "EXPIRE", "pexpire": "PEXPIRE", "expireat": "EXPIREAT", "pexpireat": "PEXPIREAT",
	"exists": "EXISTS", "haskey": "EXISTS", "exists?": "EXISTS", "eval": "EVAL", "evalsha": "EVAL", "eval_ro": "EVAL", "watch": "WATCH", "multi": "MULTI", "exec": "EXEC",
	"incr": "INCR", "delex": "DELEX", "delifeq": "DELEX", "ttl": "TTL", "pttl": "TTL", "persist": "PERSIST", "setxx": "SETXX",
	"setifpresent": "SETXX", "hdel": "HDEL", "getex": "GETEX", "hsetnx": "HSETNX", "compareandset": "CAS", "msetnx": "MSETNX",
}

// ByMajority reports whether a lock is taken on one node after the other, and counts as
// taken if most of them agree.
func (o *Op) ByMajority() (found bool) {
	if o.Command == nil || !o.Loop() && o.lambda() == nil {
		return false
	}
	o.In.eachStmt(func(s *ir.Stmt) {
		s.X.Each(func(x *ir.Expr) bool {
			half := x.Kind == ir.Binary && (x.Name == "/" || x.Name == "//" || x.Name == ">>") && x.X.Kind != ir.Number && x.Args[0].Kind == ir.Number && (x.Args[0].Name == "2" || x.Name == ">>")
			found = found || half || (x.Kind == ir.Name || x.Kind == ir.Member) && hasWord(x.Name, majorityWords)
			return !found
		})
	})
	return found
}

var majorityWords = wordSet("quorum majority")

// senders are methods that send the command that is their argument.
var senders = wordSet("call Do do sendCommand send_command executeCommand execute_command rawCommand command cmd DoContext Call execute customCommand raw_command Send")

// redisCommand reads a call as a Redis command, nil if it is none.
func (f *Function) redisCommand(e *ir.Expr) *Command {
	name := e.Method()
	if name == "" || f.notRedis(e) {
		return f.preparedScript(e)
	}
	if isBuilt(e) {
		return f.builtCommand(e)
	}
	args := f.plainArgs(e)
	if senders[name] {
		return f.sentCommand(e, args)
	}
	c := &Command{Name: methods[normal(name)]}
	if c.Name == "" {
		return f.preparedScript(e)
	}
	if e.Receiver() == nil && !f.boundMethod(e) {
		return nil
	}
	return f.fill(c, e, args)
}

func normal(name string) string {
	name = strings.ToLower(name)
	for _, affix := range []string{"async", "sync"} {
		name = strings.TrimSuffix(name, affix)
	}
	return name
}

// boundMethod reports whether a plain function is a method of a client that was
// taken off it: promisify(client.del).bind(client).
func (f *Function) boundMethod(e *ir.Expr) bool {
	v := f.resolve(e.X)
	if v.Expr == e.X || v.Expr == nil {
		return false
	}
	found := false
	v.Each(func(x *ir.Expr) bool {
		found = found || x.Kind == ir.Member && methods[normal(x.Name)] != ""
		return !found
	})
	return found
}

// redisMakers make a client of Redis.
var redisMakers = wordSet("createClient createCluster Redis StrictRedis IORedis NewClient NewUniversalClient from_url ConnectionPool Jedis JedisPooled Predis")

// isRedis reports whether a value is a client of Redis, whatever it is called.
func (f *Function) isRedis(e *ir.Expr) (found bool) {
	v := f.resolve(e)
	v.Each(func(x *ir.Expr) bool {
		found = found || (x.Kind == ir.Call || x.Kind == ir.New) && redisMakers[x.Method()]
		return !found
	})
	return found || strings.Contains(strings.ToLower(f.typeOf(e)), "redis")
}

// notRedis are receivers that have methods of the same names.
func (f *Function) notRedis(e *ir.Expr) bool {
	receiver := e.Receiver()
	if receiver == nil {
		return false
	}
	if receiver.Kind == ir.Call && f.Unit.above[receiver] == e && f.Unit.begins(receiver) && builders[normal(receiver.Method())] != "" {
		return true // the chain of a builder
	}
	t := f.typeOf(receiver)
	if f.File.Language == ir.Go && containerMethods[normal(e.Method())] && f.isForeign(e, t) {
		return true
	}
	return notRedisTypes[shortType(t)] || strings.Contains(t, "database/sql") || strings.Contains(t, "jackc/pgx") || t == "sync.Map"
}

// containerMethods are methods that what keeps values in a process has too.
var containerMethods = wordSet("get set del delete exists")

// isForeign reports whether a call is one of a function of the unit, or of a value whose type
// is known and is no client of a store.
func (f *Function) isForeign(e *ir.Expr, t string) bool {
	if f.Unit.callee(f, e) != nil {
		return true
	}
	return strings.ContainsAny(t, "./") && f.Unit.classes[shortType(t)] == nil && !mentionsStore(strings.ToLower(t))
}

var notRedisTypes = wordSet("Map Set WeakMap WeakSet HashMap ConcurrentHashMap Headers URLSearchParams FormData dict LinkedHashMap HashSet Session HttpSession Header Cookies Properties JdbcTemplate DB EntityManager Storage")

// plainArgs are the arguments without a context in front.
func (f *Function) plainArgs(e *ir.Expr) []*ir.Expr {
	args := e.Args
	if len(args) == 0 {
		return nil
	}
	first := args[0]
	if f.File.Language == ir.Go && (strings.HasSuffix(first.Type, "context.Context") || strings.HasSuffix(strings.ToLower(first.Path()), "ctx") || strings.HasPrefix(first.Path(), "context.")) {
		return args[1:]
	}
	return args
}

// sentCommand reads call("SET", key, value, "NX").
func (f *Function) sentCommand(e *ir.Expr, args []*ir.Expr) *Command {
	if len(args) > 0 && (args[0].Kind == ir.List || args[0].Kind == ir.Call && args[0].Method() == "of") {
		args = args[0].Args
	}
	if len(args) == 0 {
		return nil
	}
	name, ok := args[0].Literal()
	if !ok {
		return f.preparedScript(e)
	}
	c := &Command{Name: methods[strings.ToLower(name)]}
	if c.Name == "" || name != strings.ToUpper(name) && name != strings.ToLower(name) {
		return f.preparedScript(e)
	}
	return f.fill(c, e, args[1:])
}

// isBuilt reports whether an argument is a command that a chain builds.
func isBuilt(e *ir.Expr) bool { return e.Method() == "Build" || e.Method() == "build" }

// builtCommand reads a chain that builds a command: Set().Key(k).Value(v).Nx().
func (f *Function) builtCommand(e *ir.Expr) *Command {
	c := &Command{}
	for x := e.Receiver(); x != nil && x.Kind == ir.Call; x = x.Receiver() {
		switch m := strings.ToLower(x.Method()); {
		case m == "key":
			c.Key = x.Arg(0)
		case m == "value":
			c.Value = x.Arg(0)
		case m == "nx" || m == "xx" || m == "ifeq":
			c.flag(strings.ToUpper(m))
		case strings.HasPrefix(m, "ex") && len(x.Args) == 1:
			c.TTL = TTL{Set: true, Expr: x.Arg(0), Unit: time.Second}
		case strings.HasPrefix(m, "px") && len(x.Args) == 1:
			c.TTL = TTL{Set: true, Expr: x.Arg(0), Unit: time.Millisecond}
		case methods[m] != "" && len(x.Args) == 0:
			c.Name = methods[m]
		}
	}
	if c.Name == "" || c.Key == nil {
		return nil
	}
	f.finish(c)
	return c
}

// fill reads the arguments of a command.
func (f *Function) fill(c *Command, e *ir.Expr, args []*ir.Expr) *Command {
	if len(args) > 0 && e.Key(indexOf(e, args[0])) == "" {
		c.Key = args[0]
	}
	if k := e.Named("name"); k != nil && c.Key == nil {
		c.Key = k
	}
	switch c.Name {
	case "EVAL":
		return f.evalCommand(c, e, args)
	case "WATCH", "MULTI", "EXEC":
		return c
	case "SETNX":
		c.rest(f, e, args, 2)
		c.NX = true
	case "HSETNX": // a field of a hash is a key of its own kind
		c.Value, c.NX = argAt(args, 2), true
	case "SETXX":
		c.rest(f, e, args, 2)
		c.XX = true
	case "SET":
		c.rest(f, e, args, 2)
	case "SETEX", "PSETEX":
		if len(args) > 2 {
			c.Value = args[2]
			c.TTL = TTL{Set: true, Expr: args[1], Unit: map[string]time.Duration{"SETEX": time.Second, "PSETEX": time.Millisecond}[c.Name]}
		}
	case "EXPIRE", "PEXPIRE":
		if len(args) > 1 {
			c.TTL = TTL{Set: true, Expr: args[1], Unit: map[string]time.Duration{"EXPIRE": time.Second, "PEXPIRE": time.Millisecond}[c.Name]}
		}
	case "DELEX":
		c.IfEq = true
	case "CAS", "GETSET":
		c.Value = argAt(args, 1)
	}
	if c.Key == nil || c.NX && c.Value == nil {
		return nil
	}
	f.finish(c)
	return c
}

func indexOf(e, arg *ir.Expr) int {
	for i, a := range e.Args {
		if a == arg {
			return i
		}
	}
	return -1
}

func argAt(args []*ir.Expr, i int) *ir.Expr {
	if i < len(args) {
		return args[i]
	}
	return nil
}

func (f *Function) finish(c *Command) {
	if c.Name == "SETNX" || c.Name == "SETXX" {
		c.Name = "SET"
	}
	if c.TTL.Set {
		c.TTL.Value = f.duration(c.TTL.Expr, c.TTL.Unit)
		if n := f.resolve(c.TTL.Expr); n.Expr != nil && (n.Kind == ir.Number && strings.Trim(n.Name, "0_") == "" || n.Is("nil")) {
			c.TTL = TTL{}
		}
	}
}

func (c *Command) flag(name string) {
	switch name {
	case "NX":
		c.NX = true
	case "XX":
		c.XX = true
	case "IFEQ":
		c.IfEq = true
	}
}

var units = map[string]time.Duration{
	"EX": time.Second, "PX": time.Millisecond, "EXAT": time.Second, "PXAT": time.Millisecond, "TTL": time.Nanosecond,
	"EXPIRE": time.Second, "EXPIRES_IN": time.Second, "TIMEOUT": time.Second, "EXPIRATION": time.Nanosecond,
}

// option takes what is said by a name: nx, EX 30, keepttl.
func (c *Command) option(name string, value *ir.Expr) {
	name = strings.ToUpper(name)
	if value != nil && (value.Is("false") || value.Is("nil")) {
		return
	}
	if unit, ok := units[name]; ok && value != nil {
		c.TTL = TTL{Set: true, Expr: value, Unit: unit}
		return
	}
	if name == "MODE" || name == "CONDITION" {
		if text, ok := value.Literal(); ok {
			c.flag(strings.ToUpper(text))
		}
		return
	}
	c.flag(name)
}

// rest reads what follows the key and the value.
func (c *Command) rest(f *Function, e *ir.Expr, args []*ir.Expr, from int) {
	c.Value = argAt(args, 1)
	if v := e.Named("value"); v != nil {
		c.Value = v
	}
	for i, k := range e.Keys {
		if k != "" && e.Args[i] != c.Key && e.Args[i] != c.Value {
			c.option(k, e.Args[i])
		}
	}
	for i := from; i < len(args); i++ {
		a := args[i]
		if e.Key(indexOf(e, a)) != "" || a.Kind == ir.Lambda {
			continue
		}
		if word, ok := f.literal(a); ok {
			if _, timed := units[strings.ToUpper(word)]; timed && i+1 < len(args) {
				c.option(word, args[i+1])
				i++
			} else {
				c.option(word, nil)
			}
			continue
		}
		c.argument(f, a, argAt(args, i+1))
	}
}

func (f *Function) literal(e *ir.Expr) (string, bool) {
	v := f.resolve(e)
	return v.Literal()
}

// argument reads an options object, a chain that makes one, or a bare duration.
func (c *Command) argument(f *Function, a, next *ir.Expr) {
	v := f.resolve(a)
	switch {
	case v.Kind == ir.Map || v.Kind == ir.List:
		c.object(v.Expr)
	case v.Kind == ir.Call && hasOptionChain(v.Expr):
		for x := v.Expr; x != nil && x.Kind == ir.Call; x = x.Receiver() {
			c.option(x.Method(), x.Arg(0))
		}
	case c.Name == "SETNX" || c.Name == "SET" && !c.TTL.Set && f.File.Language != ir.JavaScript:
		if !c.TTL.Set && !strings.Contains(strings.ToLower(a.Path()), "timeunit") {
			c.TTL = TTL{Set: true, Expr: a, Unit: f.unitOf(next)}
		}
	}
}

func hasOptionChain(e *ir.Expr) bool {
	for x := e; x != nil && x.Kind == ir.Call; x = x.Receiver() {
		if m := strings.ToLower(x.Method()); m == "nx" || m == "px" || m == "ex" || m == "xx" {
			return true
		}
	}
	return false
}

func (c *Command) object(e *ir.Expr) {
	for i, a := range e.Args {
		if k := e.Key(i); k == "expiration" && a.Kind == ir.Map {
			if t := a.Named("type"); t != nil {
				c.option(t.Name, a.Named("value"))
			}
		} else if k != "" {
			c.option(k, a)
		} else if text, ok := a.Literal(); ok {
			c.option(text, argAt(e.Args, i+1))
		}
	}
}

// unitOf is what a bare number counts: what follows says so, or the language's
// usual clients do.
func (f *Function) unitOf(next *ir.Expr) time.Duration {
	if next != nil {
		if unit, ok := timeUnits[lastWord(next.Path())]; ok {
			return unit
		}
	}
	if f.File.Language == ir.Go {
		return time.Nanosecond
	}
	return time.Second
}

var timeUnits = map[string]time.Duration{
	"SECONDS": time.Second, "MILLISECONDS": time.Millisecond, "MINUTES": time.Minute, "HOURS": time.Hour, "DAYS": 24 * time.Hour,
	"MICROSECONDS": time.Microsecond, "NANOSECONDS": time.Nanosecond,
}
