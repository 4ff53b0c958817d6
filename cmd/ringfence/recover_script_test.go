package main

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/redis/go-redis/v9"
	"github.com/rogpeppe/go-internal/testscript"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/open"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/etcdguard"
	"github.com/ringfence-go/ringfence/guard/redisguard"
	"github.com/ringfence-go/ringfence/guard/s3guard"
	"github.com/ringfence-go/ringfence/guard/sqlguard"
)

func init() { scriptCommands["establish"] = establish }

// establish URL LEASE RESOURCE FILE begins a term at a resource, with the token in a
// file; with ! before it, as superseded it must be refused. @FILE holds a URL, and the
// URL of an object is the resource.
func establish(ts *testscript.TestScript, neg bool, args []string) {
	token, err := fence.ParseToken(strings.TrimSpace(ts.ReadFile(args[3])))
	ts.Check(err)
	address := args[0]
	if file, ok := strings.CutPrefix(address, "@"); ok {
		address = strings.TrimSpace(ts.ReadFile(file))
	}
	err = establishAt(context.Background(), address, args[2], fence.Fence{Name: args[1], Token: token})
	refused, _ := errors.AsType[*fence.RefusedError](err)
	switch {
	case neg && (refused == nil || refused.Verdict.Cause != fence.Superseded):
		ts.Fatalf("token %s at %s: got %v, want it superseded", token, args[2], err)
	case !neg:
		ts.Check(err)
	}
}

func establishAt(ctx context.Context, address, resource string, f fence.Fence) error {
	scheme, rest, _ := strings.Cut(address, "://")
	switch scheme {
	case "redis":
		options, err := redis.ParseURL(address)
		if err != nil {
			return err
		}
		client := redis.NewClient(options)
		defer client.Close()
		g, err := redisguard.New(client, resource, guard.Sequenced, nil)
		if err == nil {
			_, err = g.Establish(ctx, f)
		}
		return err
	case "etcd":
		host, _, _ := strings.Cut(rest, "/")
		client, err := clientv3.New(clientv3.Config{Endpoints: []string{host}, Logger: zap.NewNop()})
		if err != nil {
			return err
		}
		defer client.Close()
		g, err := etcdguard.New(client, resource, guard.Sequenced, nil)
		if err == nil {
			_, err = g.Establish(ctx, f)
		}
		return err
	}
	if scheme == "s3" {
		return establishInS3(ctx, address, f)
	}
	return establishInSQL(ctx, address, resource, f)
}

func establishInS3(ctx context.Context, address string, f fence.Fence) error {
	g, err := guardInS3(address)
	if err == nil {
		_, err = g.Establish(ctx, f)
	}
	return err
}

func guardInS3(address string) (*s3guard.Guard, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	client := s3.New(s3.Options{
		Region: "us-east-1", BaseEndpoint: aws.String(u.Query().Get("endpoint")), UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider("jobs", canary, ""),
	})
	return s3guard.New(client, u.Host, strings.TrimPrefix(u.Path, "/"), guard.Sequenced, nil)
}

func establishInSQL(ctx context.Context, address, resource string, f fence.Fence) error {
	target, err := open.Parse(address)
	if err != nil {
		return err
	}
	db, err := target.Database(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	dialect := sqlguard.SQLite
	if target.Kind == open.Postgres {
		dialect = sqlguard.Postgres
	}
	if err := sqlguard.Setup(ctx, db, dialect); err != nil {
		return err
	}
	g, err := sqlguard.New(dialect, resource, guard.Sequenced, nil)
	if err == nil {
		_, err = g.Establish(ctx, db, f)
	}
	return err
}
