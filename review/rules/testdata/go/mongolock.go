package mongolock

import (
	"context"
	"time"

	"go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/mongo"
)

type Locker struct{ locks *mongo.Collection }

func (l *Locker) Acquire(ctx context.Context, name, owner string) (bool, error) {
	now := time.Now()
	res, err := l.locks.UpdateOne(ctx,
		bson.M{"_id": name, "expiresAt": bson.M{"$lt": now}},
		bson.M{"$set": bson.M{"owner": owner, "expiresAt": now.Add(30 * time.Second)}}) // want 6
	if err != nil {
		return false, err
	}
	return res.ModifiedCount == 1, nil
}

func (l *Locker) Release(ctx context.Context, name string) error {
	_, err := l.locks.DeleteOne(ctx, bson.M{"_id": name}) // want 1
	return err
}
