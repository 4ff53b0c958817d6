package pgxstore_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/pgxstore"
)

// plain is the pooler's address as a user has it: with no word about the protocol.
func plain(address string) string {
	return strings.Replace(address, "&default_query_exec_mode=exec", "", 1)
}

func TestBehindAPooler(t *testing.T) {
	t.Parallel()
	pg := realserver.NewPostgres(t, nil)
	shared := realserver.NewPooler(t, pg)
	address := plain(shared.URL(pg, "postgres"))
	t.Run("in transaction mode", func(t *testing.T) { inTransactionMode(t, address, pg.URL("postgres")) })
	t.Run("in session mode", func(t *testing.T) {
		s := open(t, plain(realserver.NewSessionPooler(t, pg).URL(pg, "postgres")))
		term := acquire(t, s, "n")
		hints := watch(t, t.Context(), s, "n")
		release(t, s, term)
		hinted(t, hints, "a release")
	})
	t.Run("with a protocol of the user's choice", func(t *testing.T) {
		config := parse(t, address+"&default_query_exec_mode=simple_protocol")
		s := openConfig(t, config, &pgxstore.Options{Label: "mine", Connections: 1})
		release(t, s, acquire(t, s, "n"))
		if label := s.Properties().Store; label != "mine" {
			t.Errorf("the label is %q", label)
		}
	})
	t.Run("examined", func(t *testing.T) {
		found, err := pgxstore.Examine(t.Context(), parse(t, address), nil)
		if err != nil || !slices.ContainsFunc(found, func(f driver.Finding) bool {
			return f.Subject == "connection pooler" && f.Grade == driver.Warning
		}) {
			t.Errorf("%+v, %v; want a warning about the pooler", found, err)
		}
	})
}

// inTransactionMode: leases work, watches say that they can't, and at once the second time.
func inTransactionMode(t *testing.T, pooled, direct string) {
	s := open(t, pooled)
	_, err := s.Watch(t.Context(), "n")
	wantError(t, err, driver.ErrUnfit, "session mode")
	began := time.Now()
	for range 10 {
		_, err = s.Watch(t.Context(), "n")
		wantError(t, err, driver.ErrUnfit, "session mode")
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("10 more refusals took %s; want no new look each time", took)
	}
	var all sync.WaitGroup
	for i := range 32 { // more than there are connections, and no statement is prepared
		all.Go(func() {
			for range 10 {
				term := acquire(t, s, fmt.Sprint("n", i))
				if _, err := s.Renew(t.Context(), term, time.Minute); err != nil {
					t.Error(err)
				}
				release(t, s, term)
			}
		})
	}
	all.Wait()
	// A release through the pooler tells those who listen elsewhere.
	term := acquire(t, s, "n")
	hints := watch(t, t.Context(), open(t, direct), "n")
	release(t, s, term)
	hinted(t, hints, "a release through the pooler")
}
