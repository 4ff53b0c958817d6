package lock

import (
	"slices"
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
)

// sendsRequest are methods that send the request which they are handed, or begin to.
var sendsRequest = wordSet("execute request request_uri urlopen newCall send sendAsync Do do perform dispatch open capture executeAsync sendRequest")

// posts reports whether a call sends a request that changes something and was made before,
// and whether that carries a key by which the other side knows it again.
func (f *Function) posts(s *Site) (found, keyed bool) {
	e := s.Call
	switch {
	case sendsRequest[e.Method()] && e.X.Kind == ir.Member:
		for _, a := range e.Args {
			if f.isPost(a, 4) {
				return true, a.Kind == ir.Name && f.setsHeader(a.Name)
			}
		}
	case (e.Method() == "file_get_contents" || e.Method() == "fopen") && f.File.Language == ir.PHP:
		return f.isPost(e.Arg(2), 3) || f.isPost(e.Arg(3), 3), false
	case e.Method() == "curl_exec":
		return f.curlPosts(e.Arg(0).Path()), false
	case e.Method() == "getResponseCode" || e.Method() == "getInputStream":
		return f.setsPost(e.Receiver().Path()), f.setsHeader(e.Receiver().Path())
	}
	return false, false
}

// isPost reports whether a value is a request by POST: by the class that it is one of, by
// its method, by the body that it has.
func (f *Function) isPost(e *ir.Expr, depth int) bool {
	v := f.made(e)
	if v.Expr == nil || depth == 0 {
		return false
	}
	switch v.Kind {
	case ir.Map, ir.List:
		return v.In.saysPost(v.Expr, depth)
	case ir.Call, ir.New:
	case ir.Unary:
		return v.In.isPost(v.X, depth-1)
	default:
		return false
	}
	for x := v.Expr; x != nil && (x.Kind == ir.Call || x.Kind == ir.New); x = x.Receiver() {
		name := x.Method()
		if name == "new" && x.Receiver() != nil {
			name = lastWord(strings.ReplaceAll(x.Receiver().Path(), "::", "."))
		}
		last := words(name)
		if n := len(last); n > 0 && (last[n-1] == "post" || last[n-1] == "httppost") && x.Receiver() == nil || name == "post" || name == "POST" || name == "Post" {
			return true
		}
		if v.In.saysPost(x, depth) || name == "Request" && (x.Named("data") != nil || len(x.Args) > 1 && x.Key(1) == "" && f.File.Language == ir.Python) {
			return true
		}
	}
	return false
}

// saysPost reports whether one of the arguments of a call, or the elements of a literal,
// is the name of the method.
func (f *Function) saysPost(e *ir.Expr, depth int) bool {
	for _, a := range e.Args {
		v := f.resolve(a)
		if text, ok := v.Literal(); ok && (strings.EqualFold(text, "POST") || strings.EqualFold(text, "PATCH")) {
			return true
		}
		switch lastWord(a.Path()) {
		case "MethodPost", "MethodPatch", "HTTP_POST", "POST":
			return true
		}
		if v.Kind == ir.Map && depth > 1 && v.In.saysPost(v.Expr, depth-1) {
			return true
		}
	}
	return false
}

// curlPosts reports whether a handle of curl is told to post.
func (f *Function) curlPosts(handle string) bool {
	return handle != "" && slices.ContainsFunc(f.Sites, func(s *Site) bool {
		return strings.HasPrefix(s.Call.Method(), "curl_setopt") && s.Call.Arg(0).Path() == handle && curlOptions(s.Call)
	})
}

func curlOptions(e *ir.Expr) (found bool) {
	e.Each(func(x *ir.Expr) bool {
		switch {
		case x.Kind == ir.Name:
			found = found || x.Name == "CURLOPT_POST" || x.Name == "CURLOPT_POSTFIELDS"
		case x.Kind == ir.String:
			found = found || x.Name == "POST" || x.Name == "PATCH"
		}
		for _, k := range x.Keys {
			found = found || strings.HasPrefix(k, "CURLOPT_POST")
		}
		return !found
	})
	return found
}

// setsPost reports whether a connection is told to post.
func (f *Function) setsPost(connection string) bool {
	return connection != "" && slices.ContainsFunc(f.Sites, func(s *Site) bool {
		text, _ := s.Call.Arg(0).Literal()
		return s.Call.Method() == "setRequestMethod" && s.Call.Receiver().Path() == connection && text == "POST"
	})
}

// setsHeader reports whether an idempotency key is put on a request.
func (f *Function) setsHeader(request string) (found bool) {
	for _, s := range f.Sites {
		if name, ok := f.literal(s.Call.Arg(0)); ok && isIdempotencyKey(name) && firstWord(s.Call.X.Path()) == request {
			return true
		}
	}
	f.eachStmt(func(s *ir.Stmt) {
		for _, to := range s.To {
			if to.Kind == ir.Index && len(to.Args) > 0 && firstWord(to.Path()) == request {
				name, _ := f.literal(to.Args[0])
				found = found || isIdempotencyKey(name)
			}
		}
	})
	return found
}
