package lock

import (
	"slices"
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
)

var markerWords = wordSet("seen dedup dedupe deduplication idem idempotency idempotent processed visit visited once rate limit limiter ratelimit throttle cooldown nonce sent notified otp debounce quota flood attempts")

// isLock tells a lock from a key that is set once for another reason.
func (l *Lock) isLock() bool {
	switch l.Family {
	case Library_:
		return len(l.Ops) > len(l.Own(Read))
	case Advisory, Procedure:
		return true
	}
	takes := l.Own(Acquire)
	if len(takes) == 0 && len(l.TwoStep) == 0 {
		return l.Family == Table && (len(l.All(GiveUp, Release, Renew, Put)) > 0 || l.ownerRead()) || l.isReleaseScript()
	}
	if l.Family == Table {
		return true
	}
	if len(l.All(GiveUp)) > 0 {
		return true
	}
	if len(takes) > 0 && takes[0].Command != nil && takes[0].Command.Name == "INCR" && len(l.All(Release)) == 0 {
		return false // a count
	}
	cleanup := false
	for _, o := range l.All(Release) {
		cleanup = cleanup || o.Cleanup() && !o.onFailure()
	}
	named := l.isNamed()
	if len(takes) == 0 {
		return len(l.All(Release)) > 0 && (cleanup || named || l.isKept() && (l.putCompared() || l.handedBack() && !l.isMarker()))
	}
	if !cleanup && l.isState() {
		return false
	}
	return cleanup || (named || l.handedBack()) && !l.isMarker() || l.ownerCompared()
}

// handedBack reports whether a key is deleted once the work that it was set for is
// done, or by a function that is there to give it back where somebody looks whether it was
// set. What only marks something as seen is deleted when the work has failed, so that it is
// tried again.
func (l *Lock) handedBack() bool {
	takes := l.Own(Acquire)
	for _, p := range l.TwoStep {
		if !p.Write.InServer() {
			takes = append(takes, p.Write)
		}
	}
	for _, c := range l.Calls { // by its helper
		if slices.Contains(takes, c.Root()) {
			takes = append(takes, c)
		}
	}
	for _, take := range takes {
		for _, give := range l.All(Release) {
			switch {
			case give.In == take.In:
				if give.Pos() > take.Pos() && !give.onFailure() && !give.beforeExit() && take.In.Work(take.Pos(), give.Pos()) != nil {
					return true
				}
			case take.Do == Acquire && take.Use == Dropped: // it keeps nobody out
			case give.Through == nil && give.File() == take.File() && give.In.class() == take.In.class() && hasWord(give.In.Name, givingVerbs):
				return true
			}
		}
	}
	return false
}

// isState reports whether a key says something about what it is named after, which others look
// at: an account is locked. Nobody asks whether it was this call that set the key, and what sets
// it never clears it.
func (l *Lock) isState() bool {
	takes := l.All(Acquire)
	for _, take := range takes {
		if !take.unanswered() || isTaker(take.In.Name) || slices.ContainsFunc(l.All(Release), func(o *Op) bool { return o.In == take.In }) {
			return false
		}
	}
	return slices.ContainsFunc(l.Own(Read, Exists), func(o *Op) bool {
		return o.Use != Dropped && !slices.ContainsFunc(takes, func(take *Op) bool { return take.In == o.In })
	})
}

// unanswered reports whether nobody looks at the answer of an op; its error may be looked at.
func (o *Op) unanswered() bool {
	above := o.In.Unit.above[o.Call]
	return o.Use == Dropped || above != nil && above.Method() == "Err"
}

// isTaker reports whether a function is named like one that takes a lock, whatever for.
func isTaker(name string) bool {
	list := words(name)
	return len(list) > 0 && acquireVerbs[list[0]] || len(list) == 1 && lockWords[list[0]]
}

var givingVerbs = wordSet("release unlock free leave exit finish give relinquish abandon surrender handback putback")

// onFailure reports whether a site runs only if what was done before it failed.
func (s *Site) onFailure() bool {
	for _, st := range s.Path {
		if st.Branch == InCatch || st.Branch == InBody && st.Stmt.Does == ir.If && mentions(st.Stmt.X, failureWords) {
			return true
		}
	}
	return false
}

var failureWords = wordSet("err error failed failure fail exception exc succeeded success completed committed done")

// isReleaseScript reports whether the ops are those of a script of Redis in a file of
// its own that is named after what it does: unlock.lua.
func (l *Lock) isReleaseScript() bool {
	for _, o := range l.Own(Release) {
		if o.In.File.Language == ir.Lua && strings.HasPrefix(l.Key, "{KEYS") && hasWord(o.In.title(), releaseVerbs) && hasWord(o.In.title(), lockWords) {
			return true
		}
	}
	return false
}

var strictWords = wordSet("lock mutex lease leader")

func (l *Lock) isMarker() bool {
	for _, o := range l.Own(Acquire) {
		if hasWord(l.Key, markerWords) && !hasWord(l.Key, strictWords) || hasWord(o.In.Name, markerWords) && !hasWord(l.Key, lockWords) || o.In.class() != nil && hasWord(o.In.class().Name, markerWords) {
			return true
		}
	}
	return false
}

// isNamed reports whether a key, its constant, or the functions around it are named
// like a lock.
func (l *Lock) isNamed() bool {
	if hasWord(l.Key, lockWords) {
		return true
	}
	for _, o := range append(l.Own(Acquire), l.Own(Release)...) {
		if o.KeyAt != nil && mentions(o.KeyAt, lockWords) {
			return true
		}
		if hasWord(o.In.title(), lockWords) || o.In.class() != nil && hasWord(o.In.class().Name, lockWords) {
			return true
		}
	}
	for _, p := range l.TwoStep {
		if hasWord(p.Write.In.Name, lockWords) || p.Write.KeyAt != nil && mentions(p.Write.KeyAt, lockWords) {
			return true
		}
	}
	return false
}

func mentions(e *ir.Expr, set map[string]bool) (found bool) {
	e.Each(func(x *ir.Expr) bool {
		found = found || (x.Kind == ir.Name || x.Kind == ir.Member || x.Kind == ir.String) && hasWord(x.Name, set)
		return !found
	})
	return found
}

// ownerRead reports whether the owner is read from the row of a lock and compared with
// somebody: whoever takes it stands in another file.
func (l *Lock) ownerRead() bool {
	for _, o := range l.Own(Read) {
		if o.asksFor() || o.SQL != nil && (slices.ContainsFunc(o.SQL.Columns, o.IsOwner) || o.In.comparesColumn(o.IsOwner)) && (o.comparesOwner() || l.comparedByCaller(o)) {
			return true
		}
	}
	return false
}

// comparedByCaller reports whether the caller of a helper compares what it has read.
func (l *Lock) comparedByCaller(look *Op) bool {
	return slices.ContainsFunc(l.Calls, func(c *Op) bool { return c.Do == Read && c.Root() == look && c.comparesOwner() })
}

// asksFor reports whether a look only finds the row of one owner whose time is not over.
func (o *Op) asksFor() bool {
	if o.SQL == nil {
		return false
	}
	owner, owned := o.SQL.Test(o.IsOwner)
	_, until := o.SQL.Test(o.IsExpiry)
	return owned && until && owner.Op == "="
}

// comparesColumn reports whether a column of a mapped object is compared in a function.
func (f *Function) comparesColumn(is func(string) bool) (found bool) {
	f.eachStmt(func(s *ir.Stmt) {
		s.X.Each(func(x *ir.Expr) bool {
			if x.Kind == ir.Binary && comparisons[x.Name] {
				found = found || x.X.Kind == ir.Member && is(x.X.Name) || x.Args[0].Kind == ir.Member && is(x.Args[0].Name)
			}
			return !found
		})
	})
	return found
}

// ownerCompared reports whether what was written is compared before a release.
func (l *Lock) ownerCompared() bool {
	for _, r := range l.All(Read) {
		if r.comparesWith(l.Own(Acquire)) {
			return true
		}
		for _, d := range l.All(Release) {
			if r.In == d.In && r.Pos() < d.Pos() && r.decides(d) && len(l.Own(Acquire)) > 0 && !isCount(l.Own(Acquire)[0].Value) {
				return true
			}
		}
	}
	return false
}

// isKept reports whether what the keys are read from and written to is a store, as far as its
// type or the file tells: maps and caches of a process have methods of the same names.
func (l *Lock) isKept() bool {
	if l.Family != Redis && l.Family != Cache {
		return true
	}
	if len(l.TwoStep) == 0 {
		return false
	}
	write := l.TwoStep[0].Write
	client := write.Call.Receiver()
	if t := strings.ToLower(write.In.typeOf(client)); t != "" {
		return mentionsStore(t)
	}
	if v := write.In.made(client); v.Expr != nil && (v.Kind == ir.Call || v.Kind == ir.New) && mentionsStore(strings.ToLower(v.In.qualify(v.X.Path()))) {
		return true
	}
	return write.Family == Cache || mentionsStore(strings.ToLower(string(write.File().Source)))
}

func mentionsStore(text string) bool {
	return strings.Contains(text, "redis") || strings.Contains(text, "valkey") || strings.Contains(text, "memcache") || strings.Contains(text, "rueidis") || strings.Contains(text, "dalli")
}

// putCompared reports whether what a two-step lock is written with is compared before it is
// deleted.
func (l *Lock) putCompared() bool {
	var puts []*Op
	for _, p := range l.TwoStep {
		if p.Write.InServer() {
			return false // it is one step
		}
		puts = append(puts, p.Write)
	}
	for _, r := range l.All(Read) {
		if r.comparesWith(puts) {
			return true
		}
	}
	return false
}

// comparesWith reports whether a look compares what it reads with the value that the
// lock is taken with.
func (o *Op) comparesWith(takes []*Op) (found bool) {
	if !o.comparesOwner() {
		return false
	}
	for _, take := range takes {
		owner := take.Value.Path()
		if owner == "" || take.File() != o.File() {
			continue
		}
		o.In.eachStmt(func(s *ir.Stmt) {
			s.X.Each(func(x *ir.Expr) bool {
				found = found || x.Kind == ir.Binary && comparisons[x.Name] && (x.X.Path() == owner || x.Args[0].Path() == owner)
				return !found
			})
		})
	}
	return found
}
