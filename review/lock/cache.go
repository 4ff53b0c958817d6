package lock

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
)

// cacheOp reads the add command of a cache, which only succeeds if the key is free.
func (f *Function) cacheOp(s *Site) *Op {
	e := s.Call
	if op := f.transientOp(s); op != nil {
		return op
	}
	if f.File.Language == ir.Go && strings.Contains(f.typeOf(e.Receiver()), "gomemcache") {
		return f.memcacheOp(s)
	}
	path := e.X.Path()
	root := lastWord(strings.TrimSuffix(path, "."+e.Method()))
	cacheLike := root == "cache" || root == "Cache" || strings.HasSuffix(strings.ToLower(root), "memcache") || strings.HasPrefix(root, "mc") || root == "memcached"
	switch {
	case !cacheLike && !f.isCache(e.Receiver()) || len(e.Args) == 0 || f.isRedis(e.Receiver()):
		return nil
	case e.Method() == "add" && len(e.Args) >= 2,
		e.Method() == "write" && e.Named("unless_exist").Is("true"):
		t := e.Named("timeout")
		if t == nil {
			t = e.Named("expires_in")
		}
		value := e.Arg(1)
		if f.File.Language == ir.Java && len(e.Args) > 2 { // add(key, seconds, value)
			t, value = e.Arg(1), e.Arg(2)
		}
		if t == nil {
			t = e.Arg(2)
		}
		op := &Op{Site: s, Do: Acquire, Family: Cache, Key: f.Key(e.Arg(0)), KeyAt: e.Arg(0), Value: value, Gives: f.gives(GivesValue), TTL: TTL{Set: t != nil, Expr: t, Unit: 1e9}}
		op.TTL.Value = f.duration(t, 1e9)
		return op
	case e.Method() == "set" && len(e.Args) >= 2:
		op := &Op{Site: s, Do: Put, Family: Cache, Key: f.Key(e.Arg(0)), KeyAt: e.Arg(0), Value: e.Arg(1), Gives: f.gives(value), TTL: TTL{Set: e.Arg(2) != nil, Expr: e.Arg(2), Unit: 1e9}}
		op.TTL.Value = f.duration(e.Arg(2), 1e9)
		return op
	case has([]string{"delete", "forget", "del", "Delete"}, e.Method()):
		return &Op{Site: s, Do: Release, Family: Cache, Key: f.Key(e.Arg(0)), KeyAt: e.Arg(0)}
	case has([]string{"get", "read"}, e.Method()):
		return &Op{Site: s, Do: Read, Family: Cache, Key: f.Key(e.Arg(0)), KeyAt: e.Arg(0)}
	}
	return nil
}

// memcacheOp reads a call of the client for Go: mc.Add(&memcache.Item{Key: name}).
func (f *Function) memcacheOp(s *Site) *Op {
	e := s.Call
	op := &Op{Site: s, Family: Cache, Gives: errors}
	key := e.Arg(0)
	switch e.Method() {
	case "Add":
		item := f.resolve(key)
		if item.Kind == ir.Unary {
			item = item.In.resolve(item.X)
		}
		t := item.Named("Expiration")
		op.Do, op.Value, key = Acquire, item.Named("Value"), item.Named("Key")
		op.TTL = TTL{Set: t != nil, Expr: t, Unit: 1e9, Value: f.duration(t, 1e9)}
	case "Delete":
		op.Do = Release
	case "Get":
		op.Do = Read
	}
	op.KeyAt = key
	if op.Key = f.Key(key); op.Do == 0 || op.Key == "" {
		return nil
	}
	return op
}

// transients are functions of WordPress that keep a value for a while.
var transients = map[string]Do{"get_transient": Read, "set_transient": Put, "delete_transient": Release, "wp_cache_add": Acquire, "wp_cache_delete": Release}

func (f *Function) transientOp(s *Site) *Op {
	e := s.Call
	do := transients[e.Method()]
	if f.File.Language != ir.PHP || do == 0 || e.Receiver() != nil || len(e.Args) == 0 {
		return nil
	}
	op := &Op{Site: s, Do: do, Family: Cache, Key: f.Key(e.Arg(0)), KeyAt: e.Arg(0), Value: e.Arg(1), Gives: f.gives(value)}
	if t := e.Arg(len(e.Args) - 1); do == Acquire || do == Put {
		op.TTL = TTL{Set: len(e.Args) > 2, Expr: t, Unit: 1e9, Value: f.duration(t, 1e9)}
	}
	return op
}

// isCache reports whether a value is a cache, by what it was made of or its type.
func (f *Function) isCache(e *ir.Expr) bool {
	if e == nil {
		return false
	}
	t := strings.ToLower(shortType(f.typeOf(e)))
	if module := strings.ToLower(f.typeOf(e)); strings.Contains(module, "memcache") || strings.Contains(module, "pylibmc") {
		return true
	}
	if strings.HasSuffix(t, "memcache") || strings.HasSuffix(t, "memcached") || t == "cacheinterface" || t == "basecache" || t == "dalli" {
		return true
	}
	v := f.resolve(e)
	return v.Expr != e && (v.Kind == ir.Index || v.Kind == ir.Member || v.Kind == ir.Call) && cacheWords[lastWord(v.Path())]
}

var cacheWords = wordSet("cache caches Cache Client.Dalli")
