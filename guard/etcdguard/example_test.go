package etcdguard_test

import (
	"context"
	"log"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/etcdguard"
)

// A write in a transaction of one's own.
func ExampleGuard_Admit() {
	var client *clientv3.Client // an open one
	var f fence.Fence           // of the lease
	ctx := context.Background()
	g, err := etcdguard.New(client, "config/routes", guard.Latest, nil)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := g.Establish(ctx, f); err != nil {
		log.Fatal(err)
	}
	a, err := g.Admit(f)
	if err != nil {
		log.Fatal(err)
	}
	resp, err := client.Txn(ctx).If(a.If...).Then(append(a.Then, clientv3.OpPut("routes/a", "10.0.0.7"))...).Else(a.Else...).Commit()
	verdict, err := a.Verdict(resp, err)
	log.Print(verdict, err)
}

// A write under a rule that tells a repeated one from another.
func ExampleGuard_Write() {
	var client *clientv3.Client // an open one
	var f fence.Fence           // of the lease
	g, err := etcdguard.New(client, "config/routes", guard.Sequenced, nil)
	if err != nil {
		log.Fatal(err)
	}
	w := guard.Write{Fence: f, Seq: 1, Key: "route a"}
	verdict, err := g.Write(context.Background(), w, clientv3.OpPut("routes/a", "10.0.0.7"))
	log.Print(verdict, err)
}
