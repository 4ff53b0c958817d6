package cases

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/redis/rueidis"
	"github.com/segmentio/kafka-go"
	"go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/mongo"
	"go.mongodb.org/mongo-driver/mongo/options"
)

type shelfJob struct {
	rc    rueidis.Client
	db    *sql.DB
	turns *mongo.Collection
	out   *kafka.Writer
	http  *http.Client
}

func (j *shelfJob) claim(ctx context.Context, key, me string) (func(), bool) {
	err := j.rc.Do(ctx, j.rc.B().Set().Key(key).Value(me).Nx().PxMilliseconds(8000).Build()).Error() // want 7
	if err != nil {
		return nil, false
	}
	return func() {
		_ = j.rc.Do(ctx, j.rc.B().Del().Key(key).Build()).Error() // want 1
	}, true
}

func (j *shelfJob) Run(ctx context.Context, shelf string) error {
	host, _ := os.Hostname()
	undo, ok := j.claim(ctx, "shelf:lock:"+shelf, host)
	if !ok {
		return nil
	}
	defer undo()
	resp, err := http.Get("https://shelves.example/" + shelf)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if err := j.out.WriteMessages(ctx, kafka.Message{Value: body}); err != nil { // want 8
		return err
	}
	_, err = j.db.ExecContext(ctx, "UPDATE shelves SET body = ? WHERE id = ?", body, shelf) // want 4
	return err
}

func (j *shelfJob) turn(ctx context.Context, name, owner string) (bool, error) {
	now := time.Now()
	res, err := j.turns.UpdateOne(ctx,
		bson.M{"_id": name, "$or": bson.A{bson.M{"owner": ""}, bson.M{"until": bson.M{"$lt": now}}}},
		bson.M{"$set": bson.M{"owner": owner, "until": now.Add(time.Minute)}}, // want 6
		options.Update().SetUpsert(true))
	if mongo.IsDuplicateKeyError(err) {
		return false, nil
	}
	return err == nil && res.ModifiedCount+res.UpsertedCount == 1, err
}

func (j *shelfJob) leave(ctx context.Context, name string) error {
	_, err := j.turns.DeleteOne(ctx, bson.M{"_id": name}) // want 1
	return err
}

func (j *shelfJob) insert(ctx context.Context, name string) (bool, error) {
	_, err := j.db.ExecContext(ctx, "INSERT INTO shelf_locks (name, taken_at) VALUES (?, NOW())", name) // want 3
	if me, ok := err.(*mysql.MySQLError); ok && me.Number == 1062 {
		return false, nil
	}
	return err == nil, err
}

func (j *shelfJob) mysqlLock(ctx context.Context, name string) error {
	var got sql.NullInt64
	if err := j.db.QueryRowContext(ctx, "SELECT GET_LOCK(?, 1)", name).Scan(&got); err != nil { // want 13
		return err
	}
	if got.Int64 != 1 {
		return fmt.Errorf("shelf %s is busy", name)
	}
	defer j.db.ExecContext(ctx, "DO RELEASE_LOCK(?)", name)            // want 10
	_, err := j.db.ExecContext(ctx, "DELETE FROM shelves WHERE empty") // want 4
	return err
}
