package beacon

import (
	"time"

	"context"
	"github.com/go-zookeeper/zk"
	"go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/mongo"
)

type Beacon struct {
	zk   *zk.Conn
	log  *mongo.Collection
	head bool
}

func (b *Beacon) Loop(ctx context.Context) {
	for range time.Tick(time.Second) {
		_, err := b.zk.Create("/beacon/head", []byte("x"), zk.FlagEphemeral, zk.WorldACL(zk.PermAll))
		switch err {
		case nil:
			b.head = true
		case zk.ErrNodeExists:
		default:
			b.head = false
		}
		if b.head {
			b.log.InsertOne(ctx, bson.M{"at": time.Now()}) // want 11
		}
	}
}
