package lock

import "github.com/ringfence-go/ringfence/review/ir"

// aged is what a part of something is called whose age by the clock of the process a value
// is: beat of Date.now() - row.beat.getTime(), of time.Since(row.Beat); "" if it is none.
func (f *Function) aged(e *ir.Expr) (name string) {
	v := f.resolve(e)
	v.Each(func(x *ir.Expr) bool {
		var parts []*ir.Expr
		switch {
		case name != "" || x.Kind == ir.Lambda:
			return false
		case x.Kind == ir.Binary && x.Name == "-":
			parts = []*ir.Expr{x.X, x.Args[0]}
		case x.Kind == ir.Call && spans[x.Method()]:
			parts = append(parts, x.Args...)
			if len(x.Args) == 1 {
				parts = append(parts, x.X) // now.Sub(row.Beat), time.Since(row.Beat)
			}
		}
		if len(parts) != 2 {
			return true
		}
		for i, part := range parts {
			other := parts[1-i]
			if _, at := v.In.Clock(other); at != nil || other.Path() == "time.Since" {
				name = memberName(inTime(part))
			}
		}
		return name == ""
	})
	return name
}

// spans are functions that return how long it is from one time to another.
var spans = wordSet("Since Sub between diff differenceInMilliseconds differenceInSeconds differenceInMinutes until diffInSeconds")

// converted are methods that return a time in another form.
var converted = wordSet("getTime valueOf timestamp to_i to_f Unix UnixMilli toMillis toEpochMilli getTimestamp getEpochSecond toInstant total_seconds")

// inTime is a time, without what makes another form of it.
func inTime(e *ir.Expr) *ir.Expr {
	for e != nil {
		switch {
		case e.Kind == ir.Call && converted[e.Method()] && e.Receiver() != nil:
			e = e.Receiver()
		case e.Kind == ir.Member && converted[e.Name]:
			e = e.X
		default:
			return e
		}
	}
	return e
}

// notesTime reports whether a statement is handed what the clock of the process says.
func (f *Function) notesTime(s *Site) (found bool) {
	for _, a := range s.Call.Args {
		f.pointed(a).Each(func(x *ir.Expr) bool {
			if x.Kind == ir.Call || x.Kind == ir.New || x.Kind == ir.Name || x.Kind == ir.Member {
				_, at := f.Clock(x)
				found = found || at != nil
			}
			return !found && x.Kind != ir.Lambda
		})
	}
	return found
}
