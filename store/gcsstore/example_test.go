package gcsstore_test

import (
	"context"
	"log"
	"net/http"

	"github.com/ringfence-go/ringfence/store/gcsstore"
)

func ExampleOpen() {
	var client *http.Client // of google.DefaultClient(ctx, gcsstore.Scope), say
	ctx := context.Background()

	store, err := gcsstore.Open(ctx, client, "my-bucket", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
}
