package stores

import (
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/pgxstore"
)

var pgxColumn = column{
	name: "PostgreSQL (pgx)", page: "pgx.md",
	start: startPostgres(func(t *testing.T, url string) (driver.Store, error) {
		config, err := pgxpool.ParseConfig(url)
		if err != nil {
			t.Fatal(err)
		}
		return pgxstore.Open(t.Context(), config, nil)
	}),
	lacks: map[string]string{"K": composed, "L6": notEvicting},
}
