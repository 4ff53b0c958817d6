package zkstore_test

import (
	"context"
	"log"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/zkstore"
)

func Example() {
	ctx := context.Background()
	store, err := zkstore.Open(ctx, "10.0.0.1:2181,10.0.0.2:2181,10.0.0.3:2181", &zkstore.Options{
		Auth: []zkstore.Auth{{Scheme: "digest", Secret: "jobs:a password"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	term, err := store.Acquire(ctx, driver.Request{Name: "nightly", Attempt: "a random id", TTL: 30 * time.Second})
	log.Print(term.Fence, err)
}
