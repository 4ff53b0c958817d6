package reel

import (
	"context"
	"time"

	"go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/mongo"
	"go.mongodb.org/mongo-driver/mongo/options"
)

type Reels struct {
	col *mongo.Collection
	me  string
}

func (r *Reels) Claim(ctx context.Context, id string) (bool, error) {
	now := time.Now()
	res := r.col.FindOneAndUpdate(ctx,
		bson.M{"_id": id, "$or": []bson.M{{"editor": nil}, {"lapse": bson.M{"$lt": now}}}},
		bson.M{"$set": bson.M{"editor": r.me, "lapse": now.Add(30 * time.Second)}}, // want 6
		options.FindOneAndUpdate().SetUpsert(true))
	if res.Err() == mongo.ErrNoDocuments {
		return false, nil
	}
	return res.Err() == nil, res.Err()
}

func (r *Reels) Drop(ctx context.Context, id string) error {
	_, err := r.col.UpdateOne(ctx, bson.M{"_id": id}, bson.M{"$set": bson.M{"editor": nil}}) // want 1
	return err
}
