package e2e

import (
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/sqlguard"
)

// TestSQLGuardReset moves a poisoned resource to a new incarnation: nothing lands in it
// before a term has established itself, and nobody at or below the bar does.
func TestSQLGuardReset(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db guarded) {
		g, err := sqlguard.New(db.dialect, "report", guard.Sequenced, nil)
		if err != nil {
			t.Fatal(err)
		}
		write := func(token fence.Token) error {
			w := guard.Write{Fence: fence.Fence{Name: "nightly", Token: token}, Seq: 1, Key: "k"}
			_, err := g.InTx(t.Context(), db.DB, w, func(*sql.Tx) error { return nil })
			return err
		}
		establish := func(token fence.Token) error {
			_, err := g.Establish(t.Context(), db.DB, fence.Fence{Name: "nightly", Token: token})
			return err
		}
		poisoned, last := fence.TickOf(time.Now().Add(20*time.Hour)).First(), fence.Token(100)
		answers(t, "an invented number", establish(poisoned), fence.NoCause)
		answers(t, "its write", write(poisoned), fence.NoCause)
		high, err := sqlguard.Above(t.Context(), db.DB, db.dialect, last)
		if err != nil || len(high) != 1 || high[0].Resource != "report" || high[0].Lease != "nightly" || high[0].Token != poisoned || time.Since(high[0].At) > time.Hour {
			t.Fatalf("marks above %s: %+v, %v", last, high, err)
		}

		why := guard.Reset{Reason: "made up by a script", By: "alice", Above: last - 1}
		ended, err := sqlguard.Reset(t.Context(), db.DB, db.dialect, "report", why)
		if err != nil || ended.Number != 1 || ended.Token != poisoned || ended.Lease != "nightly" || ended.Seq != 1 || ended.Reset != why || time.Since(ended.At) > time.Hour {
			t.Fatalf("reset: %+v, %v", ended, err)
		}
		for _, token := range []fence.Token{last, last + 1, poisoned} {
			answers(t, "a term that has not begun", write(token), fence.NotEstablished)
		}
		answers(t, "a term at the bar", establish(last-1), fence.Superseded)
		answers(t, "the term above it", establish(last), fence.NoCause)
		answers(t, "its write", write(last), fence.NoCause)
		if _, err := sqlguard.Reset(t.Context(), db.DB, db.dialect, "report", guard.Reset{Reason: "again", By: "bob"}); err != nil {
			t.Fatal(err)
		}
		kept, err := sqlguard.Resets(t.Context(), db.DB, db.dialect, "report")
		if err != nil || len(kept) != 2 || kept[1] != ended || kept[0].Number != 2 || kept[0].Token != last || kept[0].By != "bob" {
			t.Errorf("the record holds %+v, %v", kept, err)
		}
		answers(t, "a term below the earlier bar", establish(last-1), fence.NoCause)

		for resource, r := range map[string]guard.Reset{"": why, "never": why, "report": {}} {
			if _, err := sqlguard.Reset(t.Context(), db.DB, db.dialect, resource, r); !errors.Is(err, fence.ErrInvalid) {
				t.Errorf("%q, %+v: %v", resource, r, err)
			}
		}
	})
}

func answers(t *testing.T, what string, err error, want fence.Cause) {
	t.Helper()
	var e *fence.RefusedError
	if want == fence.NoCause && err == nil || errors.As(err, &e) && e.Verdict.Cause == want {
		return
	}
	t.Errorf("%s: %v; want %s", what, err, want)
}
