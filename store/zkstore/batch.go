package zkstore

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/go-zookeeper/zk"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/internal/stamp"
)

// renewAtOnce is how many renewals go in one request. With the longest names and
// labels they stay below the server's limit of 1 MiB.
const renewAtOnce = 100

// RenewAll implements driver.BatchRenewer. What this store knows well goes in one
// transaction; ZooKeeper takes all of it or nothing, so where one record has changed,
// all of them are renewed one by one, at once.
func (s *Store) RenewAll(ctx context.Context, all []driver.Renewal) []driver.Renewed {
	outcomes := make([]driver.Renewed, len(all))
	done := make([]bool, len(all))
	var chunks [][]int
	seen := map[string]bool{}
	for i, r := range all {
		if _, err := stamp.Renewing(r.Term, r.TTL, s.props); err != nil || seen[r.Term.Name] {
			continue
		}
		seen[r.Term.Name] = true
		if n := len(chunks); n == 0 || len(chunks[n-1]) == renewAtOnce {
			chunks = append(chunks, nil)
		}
		chunks[len(chunks)-1] = append(chunks[len(chunks)-1], i)
	}
	var together sync.WaitGroup
	for _, chunk := range chunks {
		together.Go(func() { s.renewTogether(ctx, all, chunk, outcomes, done) })
	}
	together.Wait()
	s.renewAlone(ctx, all, outcomes, done)
	return outcomes
}

// renewAlone renews what is left one by one: several names at once, and those of one
// name in their order.
func (s *Store) renewAlone(ctx context.Context, all []driver.Renewal, outcomes []driver.Renewed, done []bool) {
	byName := map[string][]int{}
	for i, r := range all {
		if !done[i] {
			byName[r.Term.Name] = append(byName[r.Term.Name], i)
		}
	}
	var names [][]int
	for _, of := range byName {
		names = append(names, of)
	}
	_, _ = each(names, func(of []int) (struct{}, error) {
		for _, i := range of {
			outcomes[i].Term, outcomes[i].Err = s.Renew(ctx, all[i].Term, all[i].TTL)
		}
		return struct{}{}, nil
	})
}

// renewTogether renews in one transaction those of the chosen terms whose records are
// known. Where that fails, nothing is done, and each is left to be renewed alone.
func (s *Store) renewTogether(ctx context.Context, all []driver.Renewal, chosen []int, outcomes []driver.Renewed, done []bool) {
	var calls []*call
	var views []view
	var of []int
	var ops []any
	for _, i := range chosen {
		st, _ := stamp.Renewing(all[i].Term, all[i].TTL, s.props)
		c := s.newCall(all[i].Term.Name, st)
		v, known := s.memory.view(c.name, s.link.now())
		if !known || !v.Suits(st) || len(views) > 0 && v.floor != views[0].floor {
			continue
		}
		body, err := json.Marshal(stamp.Entry{Name: c.name, Was: v.Now, Step: st, Line: v.Line})
		if err != nil {
			continue
		}
		if len(ops) == 0 {
			ops = []any{s.condition(v.floor)}
		}
		ops = append(ops, &zk.SetDataRequest{Path: s.paths.lease(c.name), Data: body, Version: v.version})
		calls, views, of = append(calls, c), append(views, v), append(of, i)
	}
	if len(calls) < 2 {
		return
	}
	_, _ = run(ctx, s, "renew", func(ctx context.Context) (struct{}, error) {
		result, err := s.commit(ctx, views[0].epoch, ops...)
		if err != nil {
			s.memory.forgetAll()
			return struct{}{}, err
		}
		for k, c := range calls {
			stat := result.of[k+1].Stat
			v := views[k]
			v.version, v.At, v.Was = stat.Version, stampOf(stat), v.Now
			v.Now, v.Err = c.step.Apply(c.name, v.Was, stamped(v.At))
			t, at, err := c.settle(v)
			done[of[k]], outcomes[of[k]].Err = true, err
			if err == nil {
				outcomes[of[k]].Term = t.For(c.name, stamped(at))
			}
		}
		return struct{}{}, nil
	})
}
