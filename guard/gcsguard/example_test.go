package gcsguard_test

import (
	"context"
	"log"
	"net/http"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/gcsguard"
)

func ExampleGuard() {
	var client *http.Client // of google.DefaultClient, say
	var f fence.Fence       // of a lease
	ctx := context.Background()

	g, err := gcsguard.New(client, "my-bucket", "reports/manifest", guard.Sequenced, nil)
	if err != nil {
		log.Fatal(err)
	}
	if _, err = g.Establish(ctx, f); err != nil { // before the first read of a term
		log.Fatal(err)
	}
	manifest, err := g.Read(ctx)
	if err != nil {
		log.Fatal(err)
	}
	manifest = append(manifest, "first page\n"...)
	if _, err = g.Write(ctx, guard.Write{Fence: f, Seq: 1, Key: "first page"}, manifest); err != nil {
		log.Fatal(err)
	}
}
