package lock

import (
	"strings"
	"time"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/lang/lua"
)

// A Script is what a Redis script does to its first key. Everything in it is one
// atomic step.
type Script struct {
	Deletes  bool
	Compares bool // it looks at the value first, and compares it with an argument
	Takes    bool // it sets the key if nobody has it
	Expires  bool // it sets how long the key lasts
	Counts   bool // it raises a counter, which may be a fence
	Checks   bool // it looks whether the key exists
}

// readScript reads the text of a script.
func readScript(text string) *Script {
	s := &Script{}
	f := lua.Parse("", []byte(text))
	reads := false
	for _, fn := range f.Funcs {
		ir.EachExpr(fn.Body, func(e *ir.Expr) bool {
			if e.Kind == ir.Call && (e.Method() == "call" || e.Method() == "pcall") {
				s.command(e, &reads)
			}
			if e.Kind == ir.Binary && (e.Name == "==" || e.Name == "~=") && !isCount(e.Args[0]) {
				s.Compares = true
			}
			return true
		})
	}
	s.Compares = s.Compares && reads
	return s
}

func isCount(e *ir.Expr) bool { return e.Kind == ir.Number || e.Kind == ir.Const }

func (s *Script) command(e *ir.Expr, reads *bool) {
	name, _ := e.Arg(0).Literal()
	flags := ""
	for _, a := range e.Args[min(1, len(e.Args)):] {
		if word, ok := a.Literal(); ok {
			flags += " " + strings.ToUpper(word) + " "
		}
	}
	timed := strings.Contains(flags, " EX ") || strings.Contains(flags, " PX ") || strings.Contains(flags, " EXAT ") || strings.Contains(flags, " PXAT ")
	switch strings.ToUpper(name) {
	case "DEL", "UNLINK", "HDEL":
		s.Deletes = true
	case "GET", "HGET", "HMGET", "HEXISTS":
		*reads = true
	case "EXISTS":
		s.Checks = true
	case "SETNX", "HSETNX":
		s.Takes = true
	case "SET", "HSET", "HMSET":
		s.Takes = s.Takes || strings.Contains(flags, " NX ") || s.Checks
		s.Expires = s.Expires || timed
	case "EXPIRE", "PEXPIRE", "PEXPIREAT", "EXPIREAT", "SETEX", "PSETEX":
		s.Expires = true
	case "INCR", "INCRBY", "HINCRBY":
		s.Counts = true
	}
}

// evalCommand reads EVAL: the script, and its first key.
func (f *Function) evalCommand(c *Command, e *ir.Expr, args []*ir.Expr) *Command {
	text, ok := f.scriptText(argAt(args, 0))
	if !ok {
		return nil
	}
	return f.scriptCommand(c, text, e, args[1:])
}

func (f *Function) scriptText(e *ir.Expr) (string, bool) {
	text, ok := f.fold(e)
	return text, ok && strings.Contains(text, "redis.")
}

// preparedScript reads the call of a script that was made before: script.Run(...),
// a registered function, a command of a client that was defined by a script.
func (f *Function) preparedScript(e *ir.Expr) *Command {
	if e.Kind != ir.Call {
		return nil
	}
	if text := f.Unit.scripts[e.Method()]; text != "" && e.Receiver() != nil {
		return f.scriptCommand(&Command{Name: "EVAL"}, text, e, e.Args)
	}
	for _, x := range []*ir.Expr{e.Receiver(), e.X, e.Arg(0)} {
		if x == nil || x.Kind == ir.String || through[e.Method()] {
			continue
		}
		if text, ok := f.scriptText(x); ok && !defines[e.Method()] {
			args := f.plainArgs(e)
			if x == e.Arg(0) {
				args = e.Args[1:]
			}
			return f.scriptCommand(&Command{Name: "EVAL"}, text, e, args)
		}
	}
	return nil
}

var defines = wordSet("register_script NewScript Load load script_load scriptLoad Exists defineCommand loadScript createScript")

func (f *Function) scriptCommand(c *Command, text string, e *ir.Expr, args []*ir.Expr) *Command {
	c.Script = f.Unit.script(text)
	c.Key = f.firstKey(e, args)
	if c.Script.Takes {
		c.NX = true
		c.TTL = TTL{Set: c.Script.Expires, Unit: time.Millisecond}
	}
	if c.Key == nil {
		c.Key = &ir.Expr{Kind: ir.Name, Name: "KEYS1", Pos: e.Pos, End: e.End}
	}
	return c
}

// firstKey is the first key that a script is given.
func (f *Function) firstKey(e *ir.Expr, args []*ir.Expr) *ir.Expr {
	if keys := e.Named("keys"); keys != nil {
		return firstOf(keys)
	}
	for i, a := range args {
		v := f.resolve(a)
		switch {
		case v.Kind == ir.Number || e.Key(i) != "":
			continue
		case v.Kind == ir.Map && v.Named("keys") != nil:
			return firstOf(v.Named("keys"))
		case v.Kind == ir.List || v.Kind == ir.Map:
			return firstOf(v.Expr)
		case v.Kind == ir.Call && (v.Method() == "singletonList" || v.Method() == "of" || v.Method() == "asList" || v.Method() == "listOf"):
			return v.Arg(0)
		case i == 0 && isClient(a.Path()):
			continue
		}
		return a
	}
	return nil
}

func isClient(path string) bool {
	switch strings.ToLower(lastWord(path)) {
	case "c", "rdb", "client", "redis", "conn", "r", "cli", "cmd":
		return true
	}
	return false
}

func firstOf(e *ir.Expr) *ir.Expr {
	if len(e.Args) > 0 && (e.Kind == ir.List || e.Kind == ir.Map) {
		return e.Args[0]
	}
	return e
}
