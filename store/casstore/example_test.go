package casstore_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"log"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/casstore"
)

// A bucket of your own is three methods over the client of a service.
func ExampleNew() {
	var bucket casstore.Bucket = newMemory(time.Second)
	ctx := context.Background()

	store, err := casstore.New(ctx, bucket, "a service", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	term, err := store.Acquire(ctx, driver.Request{Name: "report", Attempt: rand.Text(), TTL: time.Minute})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(term.Name, "is leased for", term.Remaining.Round(time.Minute))
	// Output: report is leased for 1m0s
}
