package lock

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
)

// zkVerbs are the requests of clients of ZooKeeper about one node.
var zkVerbs = map[string]string{"get": "get", "getw": "get", "getdata": "get", "set": "set", "setdata": "set"}

// zkRequest is what a call does with which node of ZooKeeper, and the version that it asks for,
// nil if for none; "" if it is no request of one.
func (f *Function) zkRequest(e *ir.Expr) (verb string, path, version *ir.Expr) {
	if e.Receiver() == nil {
		return "", nil, nil
	}
	if e.Method() == "forPath" { // Curator: client.setData().withVersion(3).forPath(path, data)
		return f.curatorRequest(e)
	}
	if verb = zkVerbs[strings.ToLower(e.Method())]; verb == "" || !f.isZooKeeper(e.Receiver()) {
		return "", nil, nil
	}
	if verb == "set" {
		if version = e.Named("version"); version == nil {
			version = e.Arg(2)
		}
	}
	return verb, e.Arg(0), version
}

func (f *Function) curatorRequest(e *ir.Expr) (verb string, path, version *ir.Expr) {
	for x := e.Receiver(); x != nil && x.Kind == ir.Call; x = x.Receiver() {
		if x.Method() == "withVersion" {
			version = x.Arg(0)
		}
		verb = zkVerbs[strings.ToLower(x.Method())]
	}
	return verb, e.Arg(0), version
}

// isZooKeeper reports whether a value is a client of ZooKeeper, by its type or what made it.
func (f *Function) isZooKeeper(client *ir.Expr) bool {
	if t := f.typeOf(client); t != "" {
		return shortType(t) == "KazooClient" || shortType(t) == "ZooKeeper" || strings.Contains(t, "go-zookeeper/zk") || strings.Contains(t, "samuel/go-zookeeper")
	}
	made := f.made(client)
	return made.Kind == ir.Call && (made.Method() == "KazooClient" || made.X.Path() == "zk.Connect")
}

// nodeRead reads a look at a node, nil if a call is none.
func (f *Function) nodeRead(s *Site) *Op {
	verb, path, _ := f.zkRequest(s.Call)
	if verb != "get" || path == nil {
		return nil
	}
	return f.keyed(s, zkNode, Read, path, f.gives(value))
}

// nodeWrite reads the write of a node, which is guarded by the version that it asks for.
func (f *Function) nodeWrite(s *Site) *Effect {
	verb, _, version := f.zkRequest(s.Call)
	if verb != "set" {
		return nil
	}
	guarded := version != nil && !(version.Kind == ir.Unary && version.Name == "-")
	return &Effect{Site: s, Kind: Write, What: "the write of a node", Guarded: guarded}
}
