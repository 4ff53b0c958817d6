package pgxstore_test

import (
	"context"
	"log"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/pgxstore"
)

func Example() {
	ctx := context.Background()
	config, err := pgxpool.ParseConfig("postgres://jobs@db.internal/jobs")
	if err != nil {
		log.Fatal(err)
	}
	store, err := pgxstore.Open(ctx, config, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	term, err := store.Acquire(ctx, driver.Request{Name: "nightly", Attempt: "a random id", TTL: 30 * time.Second})
	log.Print(term.Fence, err)
}
