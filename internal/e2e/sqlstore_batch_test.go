package e2e

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

// statements counts what is sent to a PostgreSQL.
type statements struct{ n atomic.Int64 }

func (s *statements) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	s.n.Add(1)
	return ctx
}

func (*statements) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// takeMany gets leases, to be renewed in a batch.
func takeMany(t *testing.T, s driver.Store, n int) []driver.Renewal {
	t.Helper()
	var all []driver.Renewal
	for i := range n {
		all = append(all, driver.Renewal{Term: mustAcquire(t, s, fmt.Sprint("n", i)), TTL: 5 * time.Minute})
	}
	return all
}

func TestBatchOfRenewalsTakesFewStatements(t *testing.T) {
	config, err := pgx.ParseConfig(realserver.SharedPostgres(t))
	if err != nil {
		t.Fatal(err)
	}
	var sent statements
	config.Tracer = &sent
	db := stdlib.OpenDB(*config)
	defer db.Close()
	s := mustOpen(t, db, sqlstore.Postgres, nil)
	all := takeMany(t, s, 1000)
	all[500].Term.Attempt = "another"
	before := sent.n.Load()
	for i, r := range s.RenewAll(t.Context(), all) {
		if (i == 500) != errors.Is(r.Err, driver.ErrEnded) || i != 500 && r.Err != nil {
			t.Fatalf("renewal %d: %v", i, r.Err)
		}
	}
	if n := sent.n.Load() - before; n != 4 {
		t.Errorf("1,000 renewals took %d statements; want 4, of 256 each", n)
	}
}

func TestBatchOfRenewalsAfterARestart(t *testing.T) {
	pg := realserver.NewPostgres(t, nil)
	s := mustOpen(t, openPostgres(t, pg.URL("postgres")), sqlstore.Postgres, nil)
	all := takeMany(t, s, 20)
	pg.Restart()
	for i, r := range s.RenewAll(t.Context(), all) {
		if r.Err != nil || r.Term.Fence != all[i].Term.Fence {
			t.Errorf("renewal %d: %+v, %v", i, r.Term, r.Err)
		}
	}
}

// TestBatchOfRenewalsUnanswered: all of a batch give up together, not one after the other.
func TestBatchOfRenewalsUnanswered(t *testing.T) {
	pg := realserver.NewPostgres(t, nil)
	proxy := realserver.NewProxy(t, pg.Addr())
	u, _ := url.Parse(pg.URL("postgres"))
	u.Host = proxy.Addr()
	s := mustOpen(t, openPostgres(t, u.String()), sqlstore.Postgres, nil)
	all := takeMany(t, s, 2000)
	proxy.DropReplies()
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	began := time.Now()
	got := s.RenewAll(ctx, all)
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %s to give up", took)
	}
	unknown := 0
	for i, r := range got {
		switch {
		case errors.Is(r.Err, driver.ErrUnknown):
			unknown++
		case !errors.Is(r.Err, driver.ErrUnavailable):
			t.Fatalf("renewal %d: %v", i, r.Err)
		}
	}
	if unknown == 0 {
		t.Error("none of those sent is in doubt")
	}
	proxy.Heal()
	for i, r := range s.RenewAll(t.Context(), all) {
		if r.Err != nil {
			t.Fatalf("renewal %d when the way is free again: %v", i, r.Err)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if r := s.RenewAll(ended, all[:1]); !errors.Is(r[0].Err, driver.ErrUnavailable) {
		t.Errorf("with a context that has ended: %v", r[0].Err)
	}
	_ = s.Close()
	if r := s.RenewAll(t.Context(), all[:1]); !errors.Is(r[0].Err, driver.ErrClosed) {
		t.Errorf("after Close: %v", r[0].Err)
	}
}

func TestBatchOfRenewalsWhileOthersWork(t *testing.T) {
	onEach(t, func(t *testing.T, d sqlstore.Dialect, connect func() *sql.DB) {
		s := mustOpen(t, connect(), d, nil)
		all := takeMany(t, s, 50)
		done := make(chan bool)
		for i := range 8 {
			go func() {
				for n := range 20 {
					term, err := s.Acquire(t.Context(), request(fmt.Sprint("other ", i, n)))
					if err == nil {
						err = s.Release(t.Context(), term)
					}
					if err != nil {
						t.Error(err)
					}
				}
				done <- true
			}()
		}
		for range 10 {
			for i, r := range s.RenewAll(t.Context(), all) {
				if r.Err != nil {
					t.Errorf("renewal %d: %v", i, r.Err)
				}
			}
		}
		for range 8 {
			<-done
		}
	})
}
