package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/gcsguard"
	"github.com/ringfence-go/ringfence/internal/gcstest"
)

func init() { scriptCommands["object"] = object }

func TestWriteScripts(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { onSQLite(t, "write") })
	t.Run("postgres", func(t *testing.T) { onPostgres(t, "write") })
	t.Run("mysql", func(t *testing.T) { onMySQL(t, "write") })
}

// TestPublishScripts gives each script an object in S3 and one in Google Cloud Storage,
// whose URLs are in the files s3 and gs.
func TestPublishScripts(t *testing.T) {
	backend := s3mem.New()
	if err := backend.CreateBucket("data"); err != nil {
		t.Fatal(err)
	}
	s3 := httptest.NewServer(gofakes3.New(backend, gofakes3.WithTimeSkewLimit(0)).Server())
	gs := httptest.NewServer(gcstest.New("data"))
	t.Cleanup(s3.Close)
	t.Cleanup(gs.Close)
	runScripts(t, "publish", "s3", func(t testing.TB, work string) string {
		key := filepath.Base(work)
		for file, address := range map[string]string{
			"s3": "s3://data/" + key + "?path-style=true&endpoint=" + s3.URL,
			"gs": "gs://data/" + key + "?endpoint=" + gs.URL,
		} {
			if err := os.WriteFile(filepath.Join(work, file), []byte(address), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return "sqlite://" + filepath.ToSlash(work) + "/leases.db"
	})
}

// object URLFILE FILE puts the data of the guarded object into a file.
func object(ts *testscript.TestScript, _ bool, args []string) {
	address := ts.ReadFile(args[0])
	g, err := guardInS3(address)
	if rest, isGS := strings.CutPrefix(address, "gs://"); isGS {
		u, bad := url.Parse("gs://" + rest)
		ts.Check(bad)
		g, err = gcsguard.New(http.DefaultClient, u.Host, strings.TrimPrefix(u.Path, "/"), guard.Sequenced,
			&gcsguard.Options{Endpoint: u.Query().Get("endpoint")})
	}
	ts.Check(err)
	data, err := g.Read(context.Background())
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), data, 0o600))
}
