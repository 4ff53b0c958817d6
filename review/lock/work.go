package lock

import (
	"strings"
	"time"

	"github.com/ringfence-go/ringfence/review/ir"
)

// bounds are calls that put an end to work.
var bounds = wordSet("WithTimeout WithDeadline WithTimeoutCause WithDeadlineCause timeout timeout_after fail_after move_on_after wait_for orTimeout completeOnTimeout alarm race AbortController Timeout withTimeout pTimeout p_timeout set_time_limit SetDeadline invokeAny statement_timeout settimeout time_limit")

// Bounded reports whether a function puts an end to its work.
func (f *Function) Bounded() bool {
	for _, s := range f.Sites {
		path := s.Call.X.Path()
		if bounds[s.Call.Method()] || strings.HasSuffix(path, "AbortSignal.timeout") || path == "timeout" {
			return true
		}
		if s.Call.Method() == "get" && len(s.Call.Args) == 2 && timeUnits[lastWord(s.Call.Args[1].Path())] > 0 {
			return true
		}
	}
	for _, m := range f.Marks {
		if hasWord(m.Method(), wordSet("timeout limit")) || m.Named("time_limit") != nil {
			return true
		}
	}
	return false
}

// Outlives finds a call in the section that may take longer than the lease does.
func (s *Section) Outlives() (*Effect, time.Duration) {
	lease := s.Acquire.TTL.Value
	for _, site := range s.In.Sites {
		if d := site.limit(); s.Holds(site.Pos()) && d > lease && lease > 0 {
			return &Effect{Site: site}, d
		}
	}
	for _, e := range s.reached {
		if d := e.timeout(); d > lease && lease > 0 {
			return e, d
		}
	}
	return nil, 0
}

// limit is how long a call lets the work take that it bounds, 0 if it is none that does.
func (s *Site) limit() time.Duration {
	switch s.Call.Method() {
	case "WithTimeout", "WithTimeoutCause":
		if s.In.File.Language == ir.Go {
			return s.In.duration(s.Call.Arg(1), time.Nanosecond)
		}
	case "timeout", "timeout_after", "fail_after", "move_on_after":
		if s.In.File.Language == ir.Python {
			return s.In.duration(s.Call.Arg(0), time.Second)
		}
	}
	return 0
}

// timeout is how long a call may take by its own word, 0 if it does not say.
func (e *Effect) timeout() time.Duration {
	unit := time.Second
	if e.In.File.Language == ir.JavaScript {
		unit = time.Millisecond
	}
	if t := e.Call.Named("timeout"); t != nil {
		return e.In.duration(t, unit)
	}
	for _, a := range e.Call.Args {
		v := e.In.resolve(a)
		if v.Kind == ir.Map && v.Named("timeout") != nil {
			return v.In.duration(v.Named("timeout"), unit)
		}
	}
	if e.Kind == Outside {
		return e.In.clientLimit(e.Call, unit)
	}
	return 0
}

// Unbounded finds work in the section that nothing ends, and how sure that is: 2 if
// a reviewer would say so, 1 if it depends on what is not seen. It returns nil if
// the work is bounded, or there is none.
func (s *Section) Unbounded() (*Site, int) {
	if s.In.Bounded() {
		return nil, 0
	}
	for _, e := range s.reached {
		if e.Kind == Outside && e.patient() && e.In == s.In && !s.Whole && !e.Far {
			return e.Site, 2
		}
	}
	for _, site := range s.In.Sites {
		if s.Holds(site.Pos()) && (site.stepOfLoop() || site.endless()) {
			return site, 2
		}
	}
	for _, site := range s.In.Sites {
		if s.Holds(site.Pos()) && site.Pos() > s.Acquire.Pos() && s.In.fetches(site, 2) {
			return site, 2
		}
	}
	for _, c := range s.In.calls {
		if s.Holds(c.site.Pos()) && (c.site.Loop() || c.site.lambda() != nil && c.site.lambda().Pos >= s.From) && !c.to.Bounded() && s.In.Unit.reachesOut(c.to) {
			return c.site, 2
		}
	}
	if site := s.each(); site != nil {
		return site, 2
	}
	if site := s.engine(); site != nil {
		return site, 2
	}
	if c := s.Callback(); c != nil {
		return c, 1
	}
	for _, e := range s.reached {
		if e.Kind != CacheFill && e.patient() {
			return e.Site, 1
		}
	}
	return nil, 0
}

// reachesOut reports whether a function has another system do something, and does not say
// in which time.
func (u *Unit) reachesOut(f *Function) bool {
	for _, e := range u.effectsOf(f, 3) {
		if e.Kind == Outside && e.patient() && !e.Far {
			return true
		}
	}
	return false
}

// endless reports whether a call says of itself that nothing ends it: timeout: 0.
func (s *Site) endless() bool {
	t := s.option("timeout")
	return len(s.Ops) == 0 && t != nil && isNothing(t)
}

func isNothing(e *ir.Expr) bool {
	return e.Is("nil") || e.Kind == ir.Number && strings.Trim(e.Name, "0.") == ""
}

// option is what a call is given under a name, itself or in an object of options; nil if
// it is given nothing.
func (s *Site) option(name string) *ir.Expr {
	if x := s.Call.Named(name); x != nil {
		return x
	}
	for _, a := range s.Call.Args {
		if v := s.In.resolve(a); v.Kind == ir.Map && v.Named(name) != nil {
			return v.Named(name)
		}
	}
	return nil
}

// timed reports whether a call is told when to give up.
func (s *Site) timed() bool {
	t := s.option("timeout")
	return t != nil && !isNothing(t) || s.option("signal") != nil
}

// httpReads are methods of HTTP clients that fetch something.
var httpReads = wordSet("get Get fetch urlopen getForObject getForEntity get_response file_get_contents")

// fetches reports whether a site asks another system for something, itself or in its
// helper, and says no time in which it must answer.
func (f *Function) fetches(s *Site, depth int) bool {
	if g := f.Unit.callee(f, s.Call); g != nil && g != f {
		if depth == 0 || g.Bounded() {
			return false
		}
		for _, inner := range g.Sites {
			if g.fetches(inner, depth-1) {
				return true
			}
		}
		return false
	}
	if f.runsProgram(s.Call) {
		return !s.timed()
	}
	if s.Call.Method() == "send" && f.File.Language == ir.Java && strings.HasSuffix(f.typeOf(s.Call.Receiver()), "java.net.http.HttpClient") {
		return !f.limited(s.Call)
	}
	return httpReads[s.Call.Method()] && s.Call.Receiver() != nil && f.isPatient(s.Call) && !s.timed()
}

// runsProgram reports whether a call runs another program until it ends.
func (f *Function) runsProgram(e *ir.Expr) bool {
	if processes[f.qualify(e.X.Path())] {
		return true
	}
	switch f.File.Language {
	case ir.Go:
		v := f.resolve(e.Receiver())
		return ends[e.Method()] && v.Expr != nil && (v.Kind == ir.Call && strings.HasPrefix(v.Method(), "Command") || f.typeOf(e.Receiver()) == "os/exec.Cmd")
	case ir.Java:
		return e.Method() == "waitFor" && len(e.Args) == 0
	case ir.PHP, ir.Ruby:
		return e.Receiver() == nil && programs[e.Method()]
	case ir.Shell:
		return lengthy[lastWord(strings.ReplaceAll(e.X.Path(), "/", "."))]
	case ir.JavaScript:
		return e.Method() == "execSync" || e.Method() == "spawnSync" || e.Method() == "execFileSync"
	}
	return false
}

var (
	processes = wordSet("subprocess.run subprocess.call subprocess.check_call subprocess.check_output os.system")
	programs  = wordSet("system exec shell_exec passthru")
	lengthy   = wordSet("pg_dump pg_dumpall pg_restore pg_basebackup mysqldump mariadb-dump mongodump mongorestore rsync rclone restic borg scp tar ansible-playbook terraform ffmpeg")
	ends      = wordSet("Run Output CombinedOutput Wait")
)

// isPatient reports whether a call is one of a client that waits for an answer as long
// as it takes, unless it is told something else.
func (f *Function) isPatient(e *ir.Expr) bool {
	if httpClients[f.qualify(firstWord(e.X.Path()))] {
		return true
	}
	t := f.typeOf(e.Receiver())
	if !patient[shortType(t)] && t != "requests.Session" && t != "net/http.Client" {
		return false
	}
	made := f.resolve(e.Receiver())
	for made.Kind == ir.Unary {
		made.Expr = made.X
	}
	return made.Expr == nil || made.Named("timeout") == nil && len(made.Args) == 0 && made.Kind != ir.Name && made.Kind != ir.Member
}

// patient are types of such clients.
var patient = wordSet("RestTemplate")

// httpClients are modules that fetch without a limit unless they are told one.
var httpClients = wordSet("net/http http requests axios got superagent urllib.request urllib3 HTTParty Faraday RestClient")

// stepOfLoop reports whether a site calls the functions of a list one by one: what
// they do is not seen, nor how long they take.
func (s *Site) stepOfLoop() bool {
	if !s.Loop() || s.Call.X.Kind != ir.Name || s.Call.Kind != ir.Call {
		return false
	}
	name := s.Call.X.Name
	for _, st := range s.Path {
		if st.Stmt.Does == ir.Loop && st.Stmt.X != nil && st.Branch == InBody {
			if list := st.Stmt.X.Path(); strings.HasPrefix(list, "this.") && strings.HasPrefix(lastWord(list), strings.TrimSuffix(name, "s")) {
				return true
			}
		}
	}
	return false
}

// CheckBefore finds a look at the lock, after it was taken, that decides about a
// call which follows.
func (s *Section) CheckBefore(site *Site) (ir.Pos, bool) {
	for _, o := range s.Lock.All(Read, Confirm, Exists) {
		if o.In == site.In && !o.Pins() && o.Pos() > s.From && (o.Pos() < site.Pos() || site.behind(o)) && o.leadsTo(site) {
			return o.Pos(), true
		}
	}
	return s.propertyBefore(site)
}

// Commits reports whether a call makes what a transaction has written take effect.
func (s *Site) Commits() bool {
	if name := s.Call.Method(); name == "commit" || name == "Commit" {
		return s.Call.Receiver() != nil
	}
	text, ok := s.Call.Arg(0).Literal()
	return ok && strings.EqualFold(text, "commit")
}

// Asks reports whether a look compares the owner, itself or in its helper.
func (o *Op) Asks() bool {
	root := o.Root()
	if root.Do == Confirm || root.comparesOwner() || o.Do == Read && o.comparesOwner() {
		return true
	}
	if root.SQL == nil || root.SQL.Verb != "select" && root.SQL.Verb != "perform" {
		return false
	}
	owner, ok := root.SQL.Test(root.IsOwner) // it only finds the row of one owner
	return ok && owner.Op == "="
}

// Pins reports whether a look locks the row that it finds until its transaction ends: nobody
// takes the lock in between.
func (o *Op) Pins() bool {
	root := o.Root()
	if root.SQL == nil || root.SQL.ForUpdate {
		return root.SQL != nil
	}
	for x := root.Call; x != nil && x.Kind == ir.Call; x = x.Receiver() {
		if root.In.readsLocked(x) {
			return true
		}
	}
	return false
}

// LeadsTo reports whether a look decides about a call.
func (o *Op) LeadsTo(site *Site) bool { return o.leadsTo(site) }

// leadsTo reports whether a look decides about a call: by the branch around it, or
// by leaving before it.
func (o *Op) leadsTo(site *Site) bool {
	for _, st := range site.Path {
		if st.Stmt.Does == ir.If && st.Branch == InBody && o.asks(st.Stmt.X) {
			return true
		}
	}
	if o.Through != nil && o.Gives&(value|throws) == throws && o.Use == Dropped && !o.beforeExit() && o.Encloses(site) {
		return true // a helper that raises: what follows is only reached if it did not
	}
	found := false
	o.In.eachStmt(func(st *ir.Stmt) {
		asks := o.asks(st.X) || o.Through != nil && o.Gives&(value|errors) == errors && o.Failed(st.X)
		found = found || st.Does == ir.If && st.Pos >= o.Stmt().Pos && st.End <= site.Pos() && exits(st.Body) && asks
	})
	return found
}

// Encloses reports whether another site stands in the lambda, if any, that a site stands
// in: what a later one does goes by what was noted.
func (s *Site) Encloses(other *Site) bool {
	lambda := s.lambda()
	return lambda == nil || other.Pos() >= lambda.Pos && other.Pos() < lambda.End
}

// lambda is the innermost lambda around a site, nil if there is none.
func (s *Site) lambda() *ir.Expr {
	for i := len(s.Path) - 1; i >= 0; i-- {
		if s.Path[i].Branch == InLambda {
			return s.Path[i].Lambda
		}
	}
	return nil
}

func (o *Op) asks(cond *ir.Expr) bool { return o.testIn(cond) }

var validity = wordSet("expiration expiresAt expires_at isExpired expired valid isValid remainingLifetime getRemainingLifetime")

// propertyBefore finds a branch that leaves if the lock's object says that it has
// run out.
func (s *Section) propertyBefore(site *Site) (at ir.Pos, ok bool) {
	names := map[string]bool{}
	for _, n := range s.Acquire.Names {
		names[n] = n != "" && n != "err"
	}
	s.In.eachStmt(func(st *ir.Stmt) {
		if ok || st.Does != ir.If || st.Pos < s.From || st.End > site.Pos() || !exits(st.Body) {
			return
		}
		st.X.Each(func(x *ir.Expr) bool {
			if x.Kind == ir.Member && validity[x.Name] && names[x.X.Path()] {
				at, ok = st.Pos, true
			}
			return !ok
		})
	})
	return at, ok
}

// Negated reports whether a condition holds when what it asks for is not so.
func Negated(e *ir.Expr) bool { return negated(e) }
