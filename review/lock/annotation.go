package lock

import (
	"strconv"
	"strings"
	"time"

	"github.com/ringfence-go/ringfence/review/ir"
)

// An annotation takes a lock around each call of the function that it marks.
type annotation struct {
	name, module string
	lease        []string      // how the lease among its arguments is called
	unit         time.Duration // what a bare number counts
	library      *Library
}

var annotations = []annotation{
	{"SchedulerLock", "net.javacrumbs.shedlock", []string{"lockAtMostFor"}, time.Millisecond, &Library{Name: "ShedLock"}},
	{"Lock4j", "com.baomidou.lock", []string{"expire"}, time.Millisecond, &Library{Name: "Lock4j"}},
	{"Klock", "boot.starter.klock", []string{"leaseTime"}, time.Second, &Library{Name: "Klock"}},
	{"Locked", "distributed.lock", []string{"expiration"}, time.Millisecond, &Library{Name: "distributed-lock"}},
	{"RedisLockable", "jonatabecker", nil, time.Second, &Library{Name: "RedisLockable"}},
}

// annotated finds the functions that an annotation of a lock library marks.
func (u *Unit) annotated() {
	for _, f := range u.Functions {
		for _, m := range f.Marks {
			for i := range annotations {
				if a := &annotations[i]; lastWord(m.X.Path()) == a.name && m.Kind == ir.Call && imports(f.File, a.module) {
					u.mark(f, m, a)
				}
			}
		}
	}
}

func (u *Unit) mark(f *Function, m *ir.Expr, a *annotation) {
	s := &Site{Call: m, In: f, Path: []Step{{Stmt: &ir.Stmt{Pos: m.Pos, End: m.End, X: m}}}, Use: Tested}
	op := &Op{Site: s, Do: Acquire, Family: Library_, Library: a.library, Key: f.libraryKey(m)}
	for _, name := range a.lease {
		if lease := m.Named(name); lease != nil {
			op.TTL = TTL{Set: true, Expr: lease, Unit: a.unit, Value: f.period(lease, a.unit)}
		}
	}
	l := &Lock{Key: op.Key, Family: Library_, Library: a.library, Ops: []*Op{op}}
	op.Lock = l
	u.Locks = append(u.Locks, l)
	u.add(&Section{Lock: l, Acquire: op, In: f, From: f.Pos, To: f.End})
}

// period is what a lease lasts that may be written as Java does: PT1M, 10m, 30000.
func (f *Function) period(e *ir.Expr, unit time.Duration) time.Duration {
	text, ok := f.fold(e)
	if !ok {
		return f.duration(e, unit)
	}
	text = strings.ToLower(strings.TrimPrefix(text, "PT"))
	if n, err := strconv.Atoi(text); err == nil {
		return time.Duration(n) * unit
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0
	}
	return d
}
