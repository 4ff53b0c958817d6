package lock

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
)

// etcdKey is a key of etcd that lives as long as the lease it is put with.
var etcdKey = &Library{Name: "etcd", Session: true}

// sessionOp reads what a call does with a key that ends with a session, nil if it does
// nothing with one: kv.put(key, value, acquire=session) of Consul, a transaction of etcd
// that puts a key with a lease if there is none.
func (f *Function) sessionOp(s *Site) *Op {
	e := s.Call
	if op := f.consulRequest(s); op != nil {
		return op
	}
	switch f.File.Language {
	case ir.Go:
		if e.Method() == "Get" && len(e.Args) > 1 && imports(f.File, "etcd") && f.keepsKeys(e.Receiver()) {
			if op := f.ownKeyOp(s); op != nil {
				return op
			}
			return f.keyed(s, etcdKey, Read, e.Arg(1), value|errors)
		}
		return f.etcdTake(s)
	case ir.Python, ir.JavaScript:
		return f.consulPut(s)
	case ir.Ruby:
		of := strings.ReplaceAll(e.Receiver().Path(), "::", ".")
		if of == "Diplomat.Kv" && e.Method() == "get" && len(e.Args) > 0 {
			return f.keyed(s, consulKV, Read, e.Arg(0), value|throws)
		}
		if of != "Diplomat.Lock" || len(e.Args) == 0 {
			return nil
		}
		switch e.Method() {
		case "acquire", "wait_to_acquire":
			return f.keyed(s, consulKV, Acquire, e.Arg(0), value|throws)
		case "release":
			return f.keyed(s, consulKV, GiveUp, e.Arg(0), value|throws)
		}
	}
	return nil
}

func (f *Function) keyed(s *Site, l *Library, do Do, key *ir.Expr, gives Gives) *Op {
	return &Op{Site: s, Do: do, Family: Library_, Library: l, Of: key, Key: f.Key(key), Gives: gives}
}

// ownKeyOp reads a look at the key that an object of etcd's concurrency package keeps while
// it has its lock: client.Get(ctx, mutex.Key()).
func (f *Function) ownKeyOp(s *Site) *Op {
	key := f.resolve(s.Call.Arg(1))
	if key.Method() != "Key" || key.Receiver() == nil {
		return nil
	}
	for _, l := range f.Unit.librariesOf(f.File) {
		of := key.In.lockObject(l, key.Receiver())
		if of.Expr == nil || !l.Session {
			continue
		}
		return &Op{Site: s, Do: Confirm, Family: Library_, Library: l, Of: of.Expr, Key: of.In.libraryKey(of.Expr), Gives: value | errors}
	}
	return nil
}

// requests are methods that send a request to an address.
var requests = wordSet("curl put request fetch")

// consulRequest reads a request to Consul's own interface:
// PUT /v1/kv/key?acquire=session.
func (f *Function) consulRequest(s *Site) *Op {
	if !requests[s.Call.Method()] {
		return nil
	}
	for _, a := range s.Call.Args {
		_, path, ok := strings.Cut(f.Key(a), "/v1/kv/")
		if !ok {
			continue
		}
		key, query, _ := strings.Cut(path, "?")
		op := &Op{Site: s, Family: Library_, Library: consulKV, Of: a, Key: key, Gives: value | throws}
		params := s.option("params")
		switch {
		case strings.Contains(query, "acquire="), params != nil && params.Named("acquire") != nil:
			op.Do = Acquire
		case strings.Contains(query, "release="), params != nil && params.Named("release") != nil:
			op.Do = GiveUp
		default:
			return nil
		}
		return op
	}
	return nil
}

// consulPut reads kv.put(key, value, acquire=session), kv.set({ key, value, acquire }).
func (f *Function) consulPut(s *Site) *Op {
	e := s.Call
	if e.Method() != "put" && e.Method() != "set" && e.Method() != "get" || lastWord(e.Receiver().Path()) != "kv" {
		return nil
	}
	key, options := e.Arg(0), e
	if v := f.resolve(key); v.Kind == ir.Map && v.Named("key") != nil {
		key, options = v.Named("key"), v.Expr
	}
	switch {
	case key == nil:
	case e.Method() == "get":
		if !imports(f.File, "consul") {
			return nil
		}
		return f.keyed(s, consulKV, Read, key, value|throws)
	case options.Named("acquire") != nil:
		return f.keyed(s, consulKV, Acquire, key, value|throws)
	case options.Named("release") != nil:
		return f.keyed(s, consulKV, GiveUp, key, value|throws)
	}
	return nil
}

// etcdTake reads client.Txn(ctx).If(Compare(CreateRevision(key), "=", 0)).
// Then(OpPut(key, me, WithLease(id))).Commit().
func (f *Function) etcdTake(s *Site) *Op {
	e := s.Call
	if e.Method() != "Commit" || !imports(f.File, "etcd") {
		return nil
	}
	var put *ir.Expr
	absent, leased := false, false
	e.X.Each(func(x *ir.Expr) bool {
		switch x.Method() {
		case "Compare":
			absent = absent || len(x.Args) == 3 && (x.Args[0].Method() == "CreateRevision" || x.Args[0].Method() == "Version") && x.Args[2].Kind == ir.Number && x.Args[2].Name == "0"
		case "OpPut":
			put = x.Arg(0)
		case "WithLease":
			leased = true
		}
		return true
	})
	if !absent || !leased || put == nil {
		return nil
	}
	s.Names = append(s.Names[:len(s.Names):len(s.Names)], strings.TrimSpace(f.succeeded(s)))
	return f.keyed(s, etcdKey, Acquire, put, value|errors)
}

// succeeded is the member of a transaction's answer that says whether it was made.
func (f *Function) succeeded(s *Site) string {
	for _, n := range s.Names {
		if n != "err" && n != "_" && n != "" {
			return n + ".Succeeded"
		}
	}
	return "_"
}
