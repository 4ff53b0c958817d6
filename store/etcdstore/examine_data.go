package etcdstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/driver"
)

// alarms covers what the members report of themselves.
func (e examination) alarms(context.Context) []driver.Finding {
	var raised []string
	for _, end := range e.up() {
		for _, said := range end.status.Errors {
			if strings.Contains(said, "alarm:") && !slices.Contains(raised, said) {
				raised = append(raised, said)
			}
		}
	}
	f := driver.Finding{Subject: "alarms", Grade: driver.Fit, Found: "none", Means: "the members take writes, and agree"}
	all := strings.Join(raised, ", ")
	switch {
	case strings.Contains(all, "CORRUPT"):
		f.Grade, f.Found, f.Means, f.Do = driver.Unfit, all, "the members differ, so that a name could be granted twice", "repair the cluster: replace the member that differs"
	case strings.Contains(all, "NOSPACE"):
		f.Grade, f.Found, f.Means, f.Do = driver.Unfit, all, "etcd has reached its quota: nothing is granted or renewed", noSpace
	case all != "":
		f.Grade, f.Found, f.Means, f.Do = driver.Unfit, all, "this release doesn't know it", "see etcdctl alarm list"
	}
	return []driver.Finding{f}
}

// defaultQuota is etcd's own, which servers before 3.6 don't tell.
const defaultQuota = 2 << 30

// size covers how near etcd is to its quota.
func (e examination) size(context.Context) []driver.Finding {
	var largest int64
	quota, told := int64(defaultQuota), false
	for _, end := range e.up() {
		largest = max(largest, end.status.DbSize)
		if q := end.status.DbSizeQuota; q > 0 {
			quota, told = q, true
		}
	}
	return []driver.Finding{sized(largest, quota, told)}
}

func sized(size, quota int64, told bool) driver.Finding {
	const mega = 1 << 20
	f := driver.Finding{Subject: "database size", Grade: driver.Fit, Means: "far from its quota",
		Found: fmt.Sprintf("%d MiB of a quota of %d MiB", (size+mega-1)/mega, quota/mega)}
	if !told {
		f.Found = fmt.Sprintf("%d MiB; this server doesn't tell its quota, which by default is %d MiB", (size+mega-1)/mega, quota/mega)
	}
	if size > quota/5*4 {
		f.Grade, f.Means = driver.Warning, "at its quota etcd takes no more writes: nothing is granted or renewed"
		f.Do = "compact and defragment it (etcdctl compact, etcdctl defrag), or raise --quota-backend-bytes"
	}
	return f
}

// manyRevisions is how far a cluster has come that should have been compacted once.
const manyRevisions = 10_000

// compaction covers whether anybody takes old revisions away: each step of a
// lease adds some.
func (e examination) compaction(ctx context.Context) []driver.Finding {
	now := e.up()[0].status.Header.Revision
	ctx, cancel := e.store.once(ctx)
	defer cancel()
	_, err := e.store.client.Get(ctx, e.store.keys.store(), clientv3.WithRev(1), clientv3.WithSerializable())
	compacted := errors.Is(err, rpctypes.ErrCompacted)
	if err != nil && !compacted {
		return nil // the rights tell of it
	}
	return []driver.Finding{compactedAt(now, compacted)}
}

func compactedAt(revision int64, compacted bool) driver.Finding {
	f := driver.Finding{Subject: "compaction", Grade: driver.Fit, Found: "old revisions are removed", Means: "etcd doesn't grow with each grant"}
	switch {
	case compacted:
	case revision < manyRevisions:
		f.Found, f.Means = fmt.Sprintf("not yet, at revision %d", revision), "too early to tell whether anybody compacts it"
	default:
		f.Grade, f.Found = driver.Warning, fmt.Sprintf("never, at revision %d", revision)
		f.Means = "each grant and renewal stays for ever, until etcd reaches its quota and grants nothing"
		f.Do = "start the members with --auto-compaction-retention=1h"
	}
	return f
}

// history covers the store's own record: whether this cluster's numbers go on
// where it says.
func (e examination) history(ctx context.Context) []driver.Finding {
	keys := e.store.keys
	resp, err := e.store.read(ctx, clientv3.OpGet(keys.store()), clientv3.OpGet(keys.prefix, clientv3.WithPrefix(), clientv3.WithCountOnly()))
	if err != nil {
		return nil // the rights tell of it
	}
	found, below := resp.Responses[0].GetResponseRange().Kvs, resp.Responses[1].GetResponseRange().Count
	f := driver.Finding{Subject: "keys below " + keys.prefix, Grade: driver.Fit, Found: "a store of this cluster", Means: "its tokens go on above those that were granted"}
	refuse := func(err error) []driver.Finding {
		var r ruling
		errors.As(err, &r)
		f.Grade, f.Found, f.Means, f.Do = driver.Unfit, r.Error(), "the store grants nothing: a number could come again, or the records aren't its own", r.hint
		return []driver.Finding{f}
	}
	switch {
	case len(found) == 0 && below == 0:
		f.Found, f.Means = "no store yet", "it is made when it is first opened"
		return []driver.Finding{f}
	case len(found) == 0:
		return refuse(unfit(recoverHint).because(errors.New("the store's own record is gone, or another program uses these keys")))
	}
	id, err := decodeIdentity(found[0])
	if err != nil {
		return refuse(err)
	}
	if err := (moment{}).with(id, found[0].ModRevision).strange(resp.Header); err != nil {
		return refuse(err)
	}
	return []driver.Finding{f}
}
