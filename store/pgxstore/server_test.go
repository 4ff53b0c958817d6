package pgxstore_test

import (
	"context"
	"crypto/rand"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/pgxstore"
)

func parse(t testing.TB, address string) *pgxpool.Config {
	t.Helper()
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		t.Fatal(err)
	}
	return config
}

// at is the address with another host, such as a proxy's.
func at(t testing.TB, address, host string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = host
	return u.String()
}

func open(t testing.TB, address string) *pgxstore.Store {
	t.Helper()
	return openConfig(t, parse(t, address), nil)
}

func openConfig(t testing.TB, config *pgxpool.Config, o *pgxstore.Options) *pgxstore.Store {
	t.Helper()
	s, err := pgxstore.Open(t.Context(), config, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func request(name string) driver.Request {
	return driver.Request{Name: name, Attempt: rand.Text(), Holder: "a test", TTL: 5 * time.Minute}
}

func acquire(t testing.TB, s driver.Store, name string) driver.Term {
	t.Helper()
	term, err := s.Acquire(t.Context(), request(name))
	if err != nil {
		t.Fatal(err)
	}
	return term
}

func release(t testing.TB, s driver.Store, term driver.Term) {
	t.Helper()
	if err := s.Release(t.Context(), term); err != nil {
		t.Fatal(err)
	}
}

func watch(t testing.TB, ctx context.Context, s driver.Watcher, name string) <-chan struct{} {
	t.Helper()
	hints, err := s.Watch(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	return hints
}

// hinted waits for a hint.
func hinted(t testing.TB, hints <-chan struct{}, after string) {
	t.Helper()
	select {
	case <-hints:
	case <-time.After(20 * time.Second):
		t.Fatalf("no hint within 20 s after %s", after)
	}
}

// until polls a condition.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(20 * time.Second); !ok(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("not so within 20 s: %s", what)
		}
	}
}

// session is a connection of the test's own.
type session struct {
	*pgx.Conn
	t testing.TB
}

func connect(t testing.TB, address string) session {
	t.Helper()
	c, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	return session{c, t}
}

// ask runs a query of one value, as text.
func (s session) ask(query string) (answer string) {
	s.t.Helper()
	if err := s.QueryRow(s.t.Context(), query).Scan(&answer); err != nil {
		s.t.Fatalf("%s: %v", query, err)
	}
	return answer
}

func wantError(t testing.TB, err, want error, says string) {
	t.Helper()
	if !errors.Is(err, want) || !strings.Contains(err.Error(), says) {
		t.Errorf("got %v; want %v that says %q", err, want, says)
	}
}
