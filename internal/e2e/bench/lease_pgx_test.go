package bench

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/pgxstore"
)

// BenchmarkLeaseThroughPgx is BenchmarkLease/postgres for the store of package pgxstore.
func BenchmarkLeaseThroughPgx(b *testing.B) {
	pg := realserver.NewPostgres(b, &realserver.PostgresOptions{Durable: true})
	config, err := pgxpool.ParseConfig(pg.URL("postgres"))
	if err != nil {
		b.Fatal(err)
	}
	store, err := pgxstore.Open(b.Context(), config, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = store.Close() })
	bare := rawPostgres.prepare(b, open(b, "pgx", pg.URL("postgres"), 8))
	for _, callers := range callerCounts {
		b.Run(fmt.Sprint(callers), func(b *testing.B) {
			compare(b, "acquire + release, pgxstore", callers, leaseOf(store), bare)
		})
	}
}
