package etcdstore_test

import (
	"context"
	"log"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/etcdstore"
)

func Example() {
	ctx := context.Background()
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{"10.0.0.1:2379", "10.0.0.2:2379", "10.0.0.3:2379"}})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	store, err := etcdstore.Open(ctx, client, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close() // before the client
	term, err := store.Acquire(ctx, driver.Request{Name: "nightly", Attempt: "a random id", TTL: 30 * time.Second})
	log.Print(term.Fence, err)
}
