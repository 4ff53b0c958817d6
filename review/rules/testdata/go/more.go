package cases

import (
	"context"
	"database/sql"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/hashicorp/consul/api"
	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"log"
	"os"
	"time"
)

type Svc struct {
	rdb    *redis.Client
	db     *sql.DB
	consul *api.Client
	etcd   *clientv3.Client
	ddb    *dynamodb.Client
}

func (s *Svc) locked(ctx context.Context, key string, fn func(context.Context) error) error {
	id, _ := os.Hostname()
	if ok := s.rdb.SetNX(ctx, key, id, 30*time.Second).Val(); !ok { // want 19
		return nil
	}
	defer s.unlock(ctx, key, id)
	return fn(ctx)
}
func (s *Svc) unlock(ctx context.Context, key, id string) {
	if s.rdb.Get(ctx, key).Val() == id {
		s.rdb.Del(ctx, key) // want 2
	}
}
func (s *Svc) Pay(ctx context.Context, id string) error {
	return s.locked(ctx, "pay:"+id, func(ctx context.Context) error {
		_, err := s.db.ExecContext(ctx, "UPDATE orders SET paid = true WHERE id = $1", id) // want 4
		return err
	})
}
func (s *Svc) consulKV(ctx context.Context, sess string) error {
	kv := s.consul.KV()
	ok, _, err := kv.Acquire(&api.KVPair{Key: "service/x/leader", Session: sess}, nil)
	if err != nil || !ok {
		return err
	}
	_, err = s.db.ExecContext(ctx, "UPDATE plan SET a = 1") // want 11
	return err
}
func (s *Svc) etcdMutex(ctx context.Context) error {
	sess, err := concurrency.NewSession(s.etcd)
	if err != nil {
		return err
	}
	defer sess.Close()
	m := concurrency.NewMutex(sess, "/locks/x")
	if err := m.Lock(ctx); err != nil { // want 9
		log.Println(err)
	}
	defer m.Unlock(ctx)                                 // want 10
	_, err = s.db.ExecContext(ctx, "DELETE FROM stale") // want 4
	return err
}
func (s *Svc) getlock(ctx context.Context) error {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var ok int
	if err := conn.QueryRowContext(ctx, "SELECT GET_LOCK('x', 5)").Scan(&ok); err != nil || ok != 1 {
		return err
	}
	defer conn.ExecContext(ctx, "SELECT RELEASE_LOCK('x')") // want 10
	_, err = conn.ExecContext(ctx, "UPDATE t SET a = 1")
	return err
}
func (s *Svc) ddbLock(ctx context.Context, name string) error {
	_, err := s.ddb.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("locks"), ConditionExpression: aws.String("attribute_not_exists(LockID)")})
	return err
}
func (s *Svc) ddbUnlock(ctx context.Context) error {
	_, err := s.ddb.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: aws.String("locks")})
	return err
}
