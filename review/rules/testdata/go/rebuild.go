package cases

import (
	"context"
	"log"
	"time"

	"github.com/gomodule/redigo/redis"
	"go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/mongo"
)

func Rebuild(ctx context.Context, pool *redis.Pool, coll *mongo.Collection) {
	c := pool.Get()
	defer c.Close()
	reply, err := redis.String(c.Do("SET", "rebuild-lock", "1", "NX", "PX", 60000))
	if err != nil || reply != "OK" {
		log.Println("lock not taken", err)
	}
	coll.UpdateMany(ctx, bson.M{}, bson.M{"$set": bson.M{"fresh": true}}) // want 4
	c.Do("DEL", "rebuild-lock")                                           // want 1
	time.AfterFunc(time.Second, func() {})
}
