package lock

import (
	"strconv"
	"strings"
	"time"

	"github.com/ringfence-go/ringfence/review/ir"
)

// named are functions and constants that stand for a unit of time.
var named = map[string]time.Duration{
	"nanosecond": time.Nanosecond, "microsecond": time.Microsecond, "millisecond": time.Millisecond, "second": time.Second,
	"minute": time.Minute, "hour": time.Hour, "day": 24 * time.Hour,
	"ofmillis": time.Millisecond, "ofseconds": time.Second, "ofminutes": time.Minute, "ofhours": time.Hour,
	"seconds": time.Second, "minutes": time.Minute, "hours": time.Hour, "milliseconds": time.Millisecond, "days": 24 * time.Hour,
	"timedelta": time.Second,
}

// counts are methods of a span that say how many of a unit it has.
var counts = map[string]time.Duration{
	"total_seconds": time.Second, "seconds": time.Second, "toseconds": time.Second, "getseconds": time.Second, "in_seconds": time.Second, "asseconds": time.Second,
	"milliseconds": time.Millisecond, "tomillis": time.Millisecond, "in_milliseconds": time.Millisecond, "asmilliseconds": time.Millisecond,
	"microseconds": time.Microsecond, "nanoseconds": time.Nanosecond, "tonanos": time.Nanosecond, "minutes": time.Minute, "tominutes": time.Minute, "in_minutes": time.Minute,
}

// duration is what a value lasts if a bare number counts units; 0 if it is not known.
func (f *Function) duration(e *ir.Expr, unit time.Duration) time.Duration {
	n, scaled := f.amount(e, 8)
	if n <= 0 || n > 1e18 {
		return 0
	}
	if !scaled {
		n *= float64(unit)
	}
	if n > 1e18 {
		return 0
	}
	return time.Duration(n)
}

// amount is the number of a value, in nanoseconds if it names a unit itself.
func (f *Function) amount(e *ir.Expr, depth int) (n float64, scaled bool) {
	if e == nil || depth == 0 {
		return 0, false
	}
	v := f.resolve(e)
	switch v.Kind {
	case ir.Number:
		return number(v.Name), false
	case ir.String:
		return number(v.Name), false
	case ir.Binary:
		return v.In.arithmetic(v.Expr, depth)
	case ir.Name:
		if v.In.Param(v.Name) || v.In.defs[v.Name] != nil {
			break
		}
		return float64(named[strings.ToLower(v.Name)]), true
	case ir.Member:
		return float64(named[strings.ToLower(v.Name)]), true
	case ir.Call:
		return v.In.amountOfCall(v.Expr, depth)
	}
	if p, ok := f.param(v.Name); ok && v.Kind == ir.Name && p.Value != nil {
		return f.amount(p.Value, depth-1)
	}
	return 0, false
}

func number(text string) float64 {
	n, err := strconv.ParseFloat(strings.TrimRight(strings.ReplaceAll(text, "_", ""), "LlnFfDd"), 64)
	if err != nil {
		return 0
	}
	return n
}

func (f *Function) arithmetic(e *ir.Expr, depth int) (float64, bool) {
	a, sa := f.amount(e.X, depth-1)
	b, sb := f.amount(e.Args[0], depth-1)
	switch e.Name {
	case "*":
		return a * b, sa || sb
	case "+":
		return a + b, sa || sb
	case "-":
		return a - b, sa || sb
	case "/", "//":
		if b != 0 {
			return a / b, sa != sb // a span by a span is a number
		}
	}
	return 0, false
}

// amountOfCall knows Duration.ofSeconds(3), timedelta(minutes=2), 5.minutes.
func (f *Function) amountOfCall(e *ir.Expr, depth int) (float64, bool) {
	if e.Method() == "timedelta" && len(e.Keys) > 0 {
		sum := 0.0
		for i, a := range e.Args {
			n, _ := f.amount(a, depth-1)
			sum += n * float64(named[e.Key(i)])
		}
		return sum, true
	}
	if unit, ok := counts[strings.ToLower(e.Method())]; ok && len(e.Args) == 0 && e.Receiver() != nil {
		if n, scaled := f.amount(e.Receiver(), depth-1); scaled { // of a span: a bare number
			return n / float64(unit), false
		}
	}
	unit, ok := named[strings.ToLower(e.Method())]
	if !ok {
		if e.Method() == "Duration" || len(e.Args) == 1 && e.Receiver() == nil {
			return f.amount(e.Arg(0), depth-1)
		}
		return 0, false
	}
	x := e.Arg(0)
	if x == nil {
		x = e.Receiver()
	}
	n, _ := f.amount(x, depth-1)
	return n * float64(unit), true
}
