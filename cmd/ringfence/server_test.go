package main

import (
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/nats-io/nats-server/v2/server"
)

// onServers runs the scripts of a folder on the stores that are neither SQL nor
// Redis, each with one server for all scripts.
func onServers(t *testing.T, folder string) {
	t.Run("etcd", func(t *testing.T) { onEtcd(t, folder) })
	t.Run("nats", func(t *testing.T) { onNATS(t, folder) })
	t.Run("s3", func(t *testing.T) { onS3(t, folder) })
}

// onNATS gives each script a bucket of its own.
func onNATS(t *testing.T, folder string) {
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true,
		Username: "jobs", Password: canary,
	})
	if err != nil {
		t.Fatalf("make a nats-server: %v", err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(patience) {
		t.Fatal("the nats-server does not accept connections")
	}
	runScripts(t, folder, "nats", func(_ testing.TB, work string) string {
		return "nats://jobs:" + canary + "@" + s.Addr().String() + "/" + filepath.Base(work)
	})
}

// onS3 gives each script a prefix of its own.
func onS3(t *testing.T, folder string) {
	backend := s3mem.New()
	if err := backend.CreateBucket("leases"); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(gofakes3.New(backend, gofakes3.WithTimeSkewLimit(0)).Server())
	t.Cleanup(s.Close)
	runScripts(t, folder, "s3", func(_ testing.TB, work string) string {
		return "s3://leases/" + filepath.Base(work) + "?path-style=true&endpoint=" + s.URL
	})
}
