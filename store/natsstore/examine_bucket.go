package natsstore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/ringfence-go/ringfence/driver"
)

// bucketFindings covers a bucket that is there.
func (s *Store) bucketFindings(ctx context.Context, info *jetstream.StreamInfo) []driver.Finding {
	all := []driver.Finding{settings(info), storage(info.Config), replicas(info)}
	all = append(all, room(info)...)
	all = append(all, s.access(ctx)...)
	return append(all, s.account(ctx)...)
}

func settings(info *jetstream.StreamInfo) driver.Finding {
	f := driver.Finding{Subject: "bucket", Grade: driver.Fit, Found: fmt.Sprintf("%s, made %s", info.Config.Name, info.Created.UTC().Format("2006-01-02 15:04 UTC")),
		Means: "keeps the last record of each name until it is removed in order"}
	if err := fit(info.Config); err != nil {
		r := judge(err)
		f.Grade, f.Found, f.Do = driver.Unfit, r.Error(), r.Hint
		f.Means = "a lease, or the number behind its token, can be lost or repeated"
	}
	return f
}

func storage(c jetstream.StreamConfig) driver.Finding {
	if c.Storage == jetstream.MemoryStorage {
		return driver.Finding{Subject: "storage", Grade: driver.Warning, Found: "memory",
			Means: "when the servers stop, all leases are gone: then two can believe in one lease until the first one's ends; tokens still rise, by the server's clock",
			Do:    "delete the bucket and let Ringfence make it with file storage"}
	}
	return driver.Finding{Subject: "storage", Grade: driver.Fit, Found: "file", Means: "the end of a server's process loses nothing"}
}

// replicas covers what the loss of a server takes away.
func replicas(info *jetstream.StreamInfo) driver.Finding {
	n := info.Config.Replicas
	f := driver.Finding{Subject: "replicas", Grade: driver.Fit, Found: fmt.Sprintf("%d, all there", n),
		Means: fmt.Sprintf("%d of them can be lost, and no grant with them", (n-1)/2)}
	var away []string
	if info.Cluster != nil {
		for _, peer := range info.Cluster.Replicas {
			if peer.Offline || !peer.Current {
				away = append(away, peer.Name)
			}
		}
	}
	switch {
	case n < 3:
		f.Grade, f.Found = driver.Warning, fmt.Sprint(n)
		f.Means = "while a server is down nothing is granted or renewed; and a power failure loses what it hadn't written to its disk yet, up to two minutes by default (sync_interval), which the client can't see"
		f.Do = "run a cluster of three and `nats stream edit " + info.Config.Name + " --replicas 3`; with one server set sync_interval: always"
	case len(away) > 0:
		f.Grade, f.Found, f.Means, f.Do = driver.Warning, fmt.Sprintf("%d, of which behind or offline: %s", n, strings.Join(away, ", ")),
			"one more may be one too many", "start them, or wait until they have caught up"
	}
	return f
}

// room covers the limits of the bucket, which refuses what is new when it is full.
func room(info *jetstream.StreamInfo) []driver.Finding {
	c, state := info.Config, info.State
	near := func(used uint64, limit int64) bool { return limit > 0 && float64(used) > 0.9*float64(limit) }
	f := driver.Finding{Subject: "room", Grade: driver.Warning, Means: "when the bucket is full, nothing is granted or renewed"}
	switch {
	case near(state.Bytes, c.MaxBytes):
		f.Found, f.Do = fmt.Sprintf("%d of %d bytes used", state.Bytes, c.MaxBytes), "raise it with `nats stream edit "+c.Name+" --max-bytes`, or prune idle names"
	case near(state.Msgs, c.MaxMsgs):
		f.Found, f.Do = fmt.Sprintf("%d of %d records used", state.Msgs, c.MaxMsgs), "raise it with `nats stream edit "+c.Name+" --max-msgs`, or prune idle names"
	default:
		return nil
	}
	return []driver.Finding{f}
}

// access covers whether this user may read and write the bucket, and whether what
// it holds is Ringfence's.
func (s *Store) access(ctx context.Context) []driver.Finding {
	_, err := s.floor(ctx)
	if err != nil && s.refused() == nil && judge(err).Kind == driver.ErrUnfit {
		return []driver.Finding{s.unanswered("records", err)}
	}
	// No bucket of ours has a revision 1, so the message is refused, after the right to send it was checked.
	_, writeErr := s.write(ctx, "$KV."+s.bucket+".examine", 1, nil)
	var api *jetstream.APIError
	for _, err := range []error{err, writeErr} {
		if err != nil && !errors.As(err, &api) {
			return []driver.Finding{s.unanswered("rights", err)}
		}
	}
	return []driver.Finding{{Subject: "rights", Grade: driver.Fit, Found: "may read and write the bucket", Means: "this user can take every step; whether it may watch isn't looked at"}}
}

// refused is what the server last said about rights, or nil.
func (s *Store) refused() error {
	if last := s.js.Conn().LastError(); errors.Is(last, nats.ErrPermissionViolation) {
		return last
	}
	return nil
}
