package etcdstore_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/etcdstore"
)

// spend grants and releases a name n times, and returns the last token.
func spend(t *testing.T, s driver.Store, name string, n int) (last fence.Token) {
	t.Helper()
	for range n {
		term := acquire(t, s, request(name, time.Minute))
		if term.Token <= last {
			t.Fatalf("token %s after %s", term.Token, last)
		}
		last = term.Token
		release(t, s, term)
	}
	return last
}

// recovers checks that s and every new client refuse to grant until Raise, and
// that afterwards no number comes again.
func recovers(t *testing.T, etcd *realserver.Etcd, s driver.Store, highest fence.Token) fence.Token {
	t.Helper()
	refuses := func(s driver.Store, who string) {
		_, err := s.Acquire(t.Context(), request("job", time.Minute))
		wants(t, err, driver.ErrUnfit, "acquire by "+who)
	}
	refuses(s, "a client that was there before")
	other := open(t, connect(t, etcd), nil)
	refuses(other, "a new client")
	floor, err := other.Raise(t.Context(), highest)
	if err != nil || floor < highest {
		t.Fatalf("raise above %s: %s, %v", highest, floor, err)
	}
	last := spend(t, s, "job", 1)
	if second := spend(t, other, "job", 1); last <= highest || second <= last {
		t.Errorf("after %s and a recovery: tokens %s and %s", highest, last, second)
	}
	return spend(t, s, "job", 20)
}

func TestRollbackOfTheDisk(t *testing.T) {
	t.Parallel()
	etcd := realserver.NewEtcd(t, nil)
	s := open(t, connect(t, etcd), nil)
	spend(t, s, "job", 2)
	etcd.Stop()
	saved := etcd.SaveFiles()
	etcd.Start()
	highest := spend(t, s, "job", 20)
	for range 2 { // the same copy comes back twice
		etcd.Kill(0)
		etcd.RestoreFiles(saved)
		etcd.Start()
		highest = recovers(t, etcd, s, highest)
	}
}

func TestRestoredSnapshot(t *testing.T) {
	t.Parallel()
	for name, token := range map[string]string{"as another cluster": "other", "under its old id": "ringfence"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			etcd := realserver.NewEtcd(t, nil)
			for n := 0; n < 2 && token == "ringfence"; n++ { // each election raises the raft term, so that an older one tells
				etcd.Stop()
				etcd.Start()
			}
			s := open(t, connect(t, etcd), nil)
			spend(t, s, "job", 2)
			file := etcd.Snapshot()
			highest := spend(t, s, "job", 20)
			etcd.Kill(0)
			etcd.RestoreSnapshot(file, token)
			etcd.Start()
			stranger := open(t, connect(t, etcd), nil) // without a memory of the lost revisions
			if _, err := stranger.Acquire(t.Context(), request("job", time.Minute)); err == nil {
				t.Error("a client without a memory granted in a restored cluster")
			}
			recovers(t, etcd, s, highest)
			id, err := s.Identity(t.Context())
			if err != nil || id.ChangedAt.IsZero() || id.Previous == "" || id.Floor <= highest {
				t.Errorf("identity %+v, %v", id, err)
			}
			if same := id.Previous == id.Current; same != (token == "ringfence") {
				t.Errorf("identity %+v after a restore with token %q: etcd makes the cluster's id of addresses and token", id, token)
			}
		})
	}
}

// TestGrantOfAnotherHistory: a grant that was made before this client noticed is
// told to nobody, also not when its attempt asks again after the recovery.
func TestGrantOfAnotherHistory(t *testing.T) {
	t.Parallel()
	etcd := realserver.NewEtcd(t, nil)
	s := open(t, connect(t, etcd), nil)
	acquire(t, s, request("another", time.Minute)) // its etcd lease, the only one of s, is a part of the copy
	file := etcd.Snapshot()
	lost := acquire(t, open(t, connect(t, etcd), nil), request("job", time.Minute))
	etcd.Kill(0)
	etcd.RestoreSnapshot(file, "other")
	etcd.Start()
	r := request("job", time.Minute)
	until(t, "an answer", func() bool {
		_, err := s.GrantBlindly(t.Context(), r)
		if err == nil {
			t.Fatal("granted in another history")
		}
		return !strings.Contains(err.Error(), "connection") // refused or lost: the client finds the server again soon
	})
	rec, err := s.Inspect(t.Context(), "job")
	if err != nil || rec.State != driver.Forced {
		t.Errorf("left behind: %+v, %v; want a term that was ended again", rec, err)
	}
	if _, err := s.Raise(t.Context(), lost.Token); err != nil {
		t.Fatal(err)
	}
	_, err = s.Acquire(t.Context(), r)
	wants(t, err, driver.ErrEnded, "the attempt, asked again")
	if next := acquire(t, s, request("job", time.Minute)); next.Token <= lost.Token {
		t.Errorf("token %s after %s", next.Token, lost.Token)
	}
}

func TestStoreRecordIsGone(t *testing.T) {
	t.Parallel()
	etcd := realserver.NewEtcd(t, nil)
	client := connect(t, etcd)
	s := open(t, client, nil)
	if _, err := s.Raise(t.Context(), 1<<30); err != nil {
		t.Fatal(err)
	}
	highest := spend(t, s, "job", 2)
	if _, err := client.Delete(t.Context(), "ringfence/store"); err != nil {
		t.Fatal(err)
	}
	recovers(t, etcd, s, highest)
}

// TestTermOutlivesARaise: the base under a term's token is not the present one.
func TestTermOutlivesARaise(t *testing.T) {
	t.Parallel()
	client := connect(t, realserver.NewEtcd(t, nil))
	s := open(t, client, nil)
	a, b := acquire(t, s, request("a", time.Minute)), acquire(t, s, request("b", time.Minute))
	if _, err := s.Raise(t.Context(), 1<<40); err != nil {
		t.Fatal(err)
	}
	if c := acquire(t, s, request("c", time.Minute)); c.Token <= 1<<40 {
		t.Errorf("token %s", c.Token)
	}
	if renewed, err := s.Renew(t.Context(), a, time.Minute); err != nil || renewed.Token != a.Token {
		t.Errorf("renew: %+v, %v", renewed, err)
	}
	id, err := s.Identity(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	now, err := client.Get(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	forged := a
	forged.Token += id.Floor - fence.Token(now.Header.Revision) // what the present base makes of a's revision
	_, err = s.Renew(t.Context(), forged, time.Minute)
	wants(t, err, driver.ErrEnded, "renew with the right attempt and another token")
	release(t, s, a)
	release(t, s, b)
	if _, err := s.Raise(t.Context(), fence.MaxToken); err == nil {
		t.Error("raised above the last token")
	}
}

func TestForeignValueIsUnfit(t *testing.T) {
	t.Parallel()
	client := connect(t, realserver.NewEtcd(t, nil))
	s := open(t, client, &etcdstore.Options{Prefix: "p/"})
	for key, value := range map[string]string{"p/term/a": "x", "p/live/b": "", "p/store": "{}"} {
		if _, err := client.Put(t.Context(), key, value); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a", "b"} {
		_, err := s.Inspect(t.Context(), name)
		wants(t, err, driver.ErrUnfit, "inspect of a foreign value")
	}
	_, err := s.Acquire(t.Context(), request("c", time.Minute))
	wants(t, err, driver.ErrUnfit, "acquire under a foreign store record")
	_, err = etcdstore.Open(t.Context(), client, &etcdstore.Options{Prefix: "p/"})
	wants(t, err, driver.ErrUnfit, "open under a foreign store record")
}

// TestOlderSchema: a store of the time when a note alone told how a term had ended goes on,
// and refuses the clients of that time.
func TestOlderSchema(t *testing.T) {
	t.Parallel()
	client := connect(t, realserver.NewEtcd(t, nil))
	s := open(t, client, nil)
	old := acquire(t, s, request("job", time.Minute))
	s.Close()
	record, err := client.Get(t.Context(), "ringfence/store")
	if err != nil {
		t.Fatal(err)
	}
	then := strings.Replace(string(record.Kvs[0].Value), `"schema":2`, `"schema":1`, 1)
	note := fmt.Sprintf(`{"token":"%s","state":"released","at_ms":1}`, old.Token)
	_, err = client.Txn(t.Context()).Then(clientv3.OpPut("ringfence/store", then),
		clientv3.OpDelete("ringfence/live/job"), clientv3.OpPut("ringfence/note/job", note)).Commit()
	if err != nil {
		t.Fatal(err)
	}
	s = open(t, client, nil)
	if rec, err := s.Inspect(t.Context(), "job"); err != nil || rec.State != driver.Released || rec.Token != old.Token {
		t.Errorf("%+v, %v; want it released", rec, err)
	}
	if next := acquire(t, s, request("job", time.Minute)); next.Token <= old.Token {
		t.Errorf("token %s after %s", next.Token, old.Token)
	}
	if record, err = client.Get(t.Context(), "ringfence/store"); err != nil || !strings.Contains(string(record.Kvs[0].Value), `"schema":2`) {
		t.Errorf("the record is %s, %v; want another schema, so that older clients stop", record.Kvs[0].Value, err)
	}
}

// TestSpentAttempt: an attempt whose term is over gets no other one, also from a
// client that does not look first.
func TestSpentAttempt(t *testing.T) {
	t.Parallel()
	s := open(t, connect(t, realserver.NewEtcd(t, nil)), nil)
	for range 20 { // in some of them there is an etcd lease at hand
		r := request("job", time.Minute)
		release(t, s, acquire(t, s, r))
		_, err := s.Acquire(t.Context(), r)
		wants(t, err, driver.ErrEnded, "acquire with an attempt that was released")
	}
}

// TestWhatRemains: an older state under the old id, in no lower raft term, is
// noticed by a client that was there before, and by no other one. What was granted
// unnoticed is told to nobody again once it was noticed.
func TestWhatRemains(t *testing.T) {
	t.Parallel()
	etcd := realserver.NewEtcd(t, nil)
	s := open(t, connect(t, etcd), nil)
	file := etcd.Snapshot()
	highest := spend(t, s, "job", 20)
	etcd.Kill(0)
	etcd.RestoreSnapshot(file, "ringfence")
	etcd.Start()
	stranger := open(t, connect(t, etcd), nil)
	r := request("job", time.Minute)
	if term := acquire(t, stranger, r); term.Token > highest {
		t.Errorf("token %s after %s: docs/stores/etcd.md says too little", term.Token, highest)
	}
	_, err := s.Acquire(t.Context(), request("other", time.Minute))
	wants(t, err, driver.ErrUnfit, "acquire by the client that was there before")
	_, err = stranger.Acquire(t.Context(), request("other", time.Minute))
	wants(t, err, driver.ErrUnfit, "acquire by the stranger, who was told")
	if _, err := s.Raise(t.Context(), highest); err != nil {
		t.Fatal(err)
	}
	_, err = stranger.Acquire(t.Context(), r)
	wants(t, err, driver.ErrEnded, "the attempt of the unnoticed grant")
}
