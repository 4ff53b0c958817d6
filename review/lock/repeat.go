package lock

import (
	"slices"

	"github.com/ringfence-go/ringfence/review/ir"
)

// each finds a call that is made for each part of a list: how many there are is not seen, nor
// how long they take.
func (s *Section) each() *Site {
	for _, site := range s.In.Sites {
		if !s.Holds(site.Pos()) || len(site.Ops) > 0 || !site.forEach(s.From) || s.In.asksStore(site) {
			continue
		}
		if name := site.Call.Method(); quiet[name] || transparent[name] || iterators[name] || s.In.isLogging(site.Call) || site.timed() {
			continue
		}
		return site
	}
	return nil
}

// engine finds a call in a file which drives an engine whose jobs take as long as they take.
func (s *Section) engine() *Site {
	file := s.In.File
	if !slices.ContainsFunc(file.Imports, func(i ir.Import) bool { return hasWord(i.Path, engines) }) {
		return nil
	}
	for _, site := range s.In.Sites {
		if s.Holds(site.Pos()) && len(site.Ops) == 0 && !site.timed() && s.In.Unit.drives(s.In, site, 2) {
			return site
		}
	}
	return nil
}

var engines = wordSet("pyspark spark dask ray sklearn tensorflow torch xgboost lightgbm playwright puppeteer selenium ffmpeg ffmpy moviepy pdfkit weasyprint beam flink")

// drives reports whether a call does something that nobody sees the end of: no statement, no
// command of a store, by itself or in a helper.
func (u *Unit) drives(f *Function, s *Site, depth int) bool {
	g := u.callee(f, s.Call)
	if g == nil {
		name := s.Call.Method()
		return s.Call.Receiver() != nil && !quiet[name] && !transparent[name] && !f.isLogging(s.Call) && !f.asksStore(s)
	}
	return g != f && depth > 0 && !g.Bounded() && slices.ContainsFunc(g.Sites, func(inner *Site) bool { return u.drives(g, inner, depth-1) })
}

// asksStore reports whether a call sends a statement or a command to a store, or is a part
// of the chain that does.
func (f *Function) asksStore(site *Site) bool {
	return slices.ContainsFunc(f.Sites, func(other *Site) bool {
		return (other == site || inChain(other.Call, site.Call)) && (f.statement(other.Call) != nil || f.redisCommand(other.Call) != nil)
	})
}

// forEach reports whether a site runs for each part of a list, in a loop or in a function
// that is handed to what goes over one, that begins after a place.
func (s *Site) forEach(from ir.Pos) bool {
	for _, st := range s.Path {
		switch {
		case st.Branch == InBody && st.Stmt.Does == ir.Loop && st.Stmt.Pos >= from && goesOver(st.Stmt):
			return true
		case st.Branch == InLambda && st.Lambda.Pos >= from:
			over := false
			st.Stmt.X.Each(func(x *ir.Expr) bool {
				over = over || x.Kind == ir.Call && iterators[x.Method()] && (s.In.File.Language != ir.Java || x.Method() == "forEach") && len(x.Args) > 0 && x.Args[len(x.Args)-1] == st.Lambda
				return !over
			})
			if over {
				return true
			}
		}
	}
	return false
}

// goesOver reports whether a loop goes over the parts of something.
func goesOver(s *ir.Stmt) bool {
	if len(s.To) > 0 || s.X == nil {
		return len(s.To) > 0
	}
	if s.X.Kind == ir.Binary && (s.X.Name == "in" || s.X.Name == "of" || s.X.Name == "as") {
		return true
	}
	found := false
	s.X.Each(func(x *ir.Expr) bool { // while (($row = fgetcsv($in)) !== false), for rows.Next()
		found = found || x.Kind == ir.Assign && x.Args[0].Kind == ir.Call || x.Kind == ir.Call && nexts[x.Method()]
		return !found
	})
	return found
}

var nexts = wordSet("Next next hasNext Scan fetch fetch_assoc readLine gets shift poll read")
