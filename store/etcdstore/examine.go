package etcdstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// Examine says what decides whether the etcd of client can host leases under the
// options o, finding by finding. It works where Open refuses, and changes nothing.
// The error says that no member could be asked at all, and is one of the contract.
func Examine(ctx context.Context, client *clientv3.Client, o *Options) ([]driver.Finding, error) {
	if client == nil {
		return nil, fmt.Errorf("%w call of etcdstore.Examine: it needs a *clientv3.Client", fence.ErrInvalid)
	}
	full, err := o.withDefaults(client)
	if err != nil {
		return nil, err
	}
	s := newStore(client, full, time.Now)
	defer s.Close()
	if r := s.left(ctx); r.kind != nil {
		return nil, r.fault()
	}
	e := examination{store: s, ends: s.statuses(ctx)}
	if len(e.up()) == 0 {
		return nil, before(judge(e.ends[0].err)).fault()
	}
	var all []driver.Finding
	for _, look := range []func(context.Context) []driver.Finding{
		e.version, e.endpoints, e.members, e.alarms, e.size, e.access, e.history, e.compaction, e.clock,
	} {
		all = append(all, look(ctx)...)
	}
	return all, ctx.Err()
}

// examination is a cluster that is being looked at.
type examination struct {
	store *Store
	ends  []endpoint
}

// endpoint is one of the client's addresses, and what is there.
type endpoint struct {
	addr   string
	status *clientv3.StatusResponse // nil where it did not answer
	err    error
}

// statuses asks all endpoints at once.
func (s *Store) statuses(ctx context.Context) []endpoint {
	all := make([]endpoint, 0, len(s.client.Endpoints()))
	for _, addr := range s.client.Endpoints() {
		all = append(all, endpoint{addr: addr, err: errors.New("no answer")})
	}
	if len(all) == 0 {
		return []endpoint{{err: errors.New("the client has no endpoint")}}
	}
	ctx, cancel := context.WithTimeout(ctx, max(s.try, 2*time.Second))
	defer cancel()
	var asked sync.WaitGroup
	for i := range all {
		asked.Go(func() { all[i].status, all[i].err = s.client.Status(ctx, all[i].addr) })
	}
	asked.Wait()
	return all
}

// up are the endpoints that answered.
func (e examination) up() (up []endpoint) {
	for _, end := range e.ends {
		if end.err == nil {
			up = append(up, end)
		}
	}
	return up
}

func (e examination) version(context.Context) []driver.Finding {
	var versions []string
	f := driver.Finding{Subject: "version", Grade: driver.Fit, Means: "has what the store uses"}
	for _, end := range e.up() {
		v := end.status.Version
		if !slices.Contains(versions, v) {
			versions = append(versions, v)
		}
		var major, minor int
		if n, _ := fmt.Sscanf(v, "%d.%d", &major, &minor); n == 2 && (major < 3 || major == 3 && minor < 4) {
			f.Grade, f.Means, f.Do = driver.Unfit, "lacks what the store uses", "update to etcd 3.4 or later"
		}
	}
	f.Found = "etcd " + strings.Join(versions, ", ")
	return []driver.Finding{f}
}

// endpoints covers each address that the client has.
func (e examination) endpoints(context.Context) []driver.Finding {
	var down, learners, leaderless, clusters []string
	for _, end := range e.ends {
		switch {
		case end.err != nil:
			down = append(down, end.addr)
			continue
		case end.status.IsLearner:
			learners = append(learners, end.addr)
		case end.status.Leader == 0:
			leaderless = append(leaderless, end.addr)
		}
		if id := clusterOf(end.status.Header); !slices.Contains(clusters, id) {
			clusters = append(clusters, id)
		}
	}
	f := driver.Finding{Subject: "endpoints", Grade: driver.Fit, Found: fmt.Sprintf("%d, and all answer", len(e.ends)), Means: "each can take a call where another one is down"}
	if len(e.ends) == 1 {
		f.Found, f.Means = "1, and it answers", "the client knows of no other one to turn to"
	}
	set := func(g driver.Grade, found, means, do string) { f.Grade, f.Found, f.Means, f.Do = g, found, means, do }
	switch {
	case len(clusters) > 1:
		set(driver.Unfit, "of different clusters: "+strings.Join(clusters, ", "), "each would grant the same name", "give the client the members of one cluster")
	case len(leaderless) > 0:
		set(driver.Unfit, "without a leader: "+strings.Join(leaderless, ", "), "too few members are up, or can reach each other, to grant anything", "start the members that are down; see etcdctl endpoint status")
	case len(down) > 0:
		set(driver.Warning, "no answer from "+strings.Join(down, ", "), "calls go to the others; one more may be one too many", "start them, or take them from the client's endpoints")
	case len(learners) > 0:
		set(driver.Warning, "learners: "+strings.Join(learners, ", "), "they take no writes, so that a call that meets one is repeated elsewhere", "promote them, or take them from the client's endpoints")
	}
	return []driver.Finding{f}
}

// members covers what the loss of one takes away.
func (e examination) members(ctx context.Context) []driver.Finding {
	ctx, cancel := e.store.once(ctx)
	defer cancel()
	resp, err := e.store.client.MemberList(ctx)
	if err != nil {
		return nil // the endpoints or the rights tell of it
	}
	voters := 0
	for _, m := range resp.Members {
		if !m.IsLearner {
			voters++
		}
	}
	f := driver.Finding{Subject: "members", Grade: driver.Fit, Found: fmt.Sprint(voters), Means: fmt.Sprintf("%d of them can be lost, and no grant with them", (voters-1)/2)}
	switch {
	case voters == 1:
		f.Grade, f.Means, f.Do = driver.Warning, "when it is down nothing is granted or renewed, and when its disk is lost, so are the tokens", "run three members"
	case voters%2 == 0:
		f.Grade, f.Do = driver.Warning, fmt.Sprintf("run %d or %d members", voters-1, voters+1)
		f.Means = fmt.Sprintf("%d can be lost, as with one member less, and there is one more to fail", (voters-1)/2)
	}
	return []driver.Finding{f}
}

// clock says that there is none.
func (e examination) clock(context.Context) []driver.Finding {
	return []driver.Finding{{Subject: "clock", Grade: driver.Fit, Found: "none takes part",
		Means: "the leader counts elapsed time, and a token is a revision; a new leader begins every lease anew, never earlier"}}
}

// access covers who may change a lease, and whether this client may.
func (e examination) access(ctx context.Context) []driver.Finding {
	get := clientv3.OpGet(e.store.keys.store())
	put := clientv3.OpPut(e.store.keys.store(), "")
	never := clientv3.Compare(clientv3.Version(e.store.keys.store()), "<", 0) // the rights of both branches are checked
	_, err := e.store.txn(ctx, []clientv3.Cmp{never}, []clientv3.Op{put}, []clientv3.Op{get})
	f := driver.Finding{Subject: "rights", Grade: driver.Fit, Found: "may read and write below " + e.store.keys.prefix, Means: "this client can do all that the store does"}
	var r ruling
	switch {
	case errors.As(err, &r) && r.kind == driver.ErrUnfit:
		f.Grade, f.Found, f.Means, f.Do = driver.Unfit, r.Error(), "no step succeeds", r.hint
	case errors.Is(err, rpctypes.ErrNoSpace):
		return nil // its alarm tells of it
	case err != nil:
		f.Grade, f.Found, f.Means, f.Do = driver.Unfit, before(r).Error(), "no majority answers: nothing can be granted or renewed", "see etcdctl endpoint health --cluster"
	}
	if err == nil && e.open(ctx) {
		return []driver.Finding{f, {Subject: "authentication", Grade: driver.Warning, Found: "off",
			Means: "whoever reaches a member can end any lease and change any number", Do: "enable it (etcdctl auth enable), or let only the holders reach the members"}}
	}
	return []driver.Finding{f}
}

// open reports whether etcd takes requests without a user.
func (e examination) open(ctx context.Context) bool {
	if e.store.client.Username == "" && e.store.client.Password == "" {
		return true // the rights were tried just now
	}
	ctx, cancel := e.store.once(ctx)
	defer cancel()
	_, err := e.store.client.Authenticate(ctx, e.store.client.Username, e.store.client.Password)
	return errors.Is(err, rpctypes.ErrAuthNotEnabled)
}
