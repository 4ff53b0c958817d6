package stores

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/gcstest"
	"github.com/ringfence-go/ringfence/store/gcsstore"
)

var gcsColumn = column{
	name: "GCS", page: "gcs.md",
	start: func(*testing.T) func(*testing.T, bool) *site { return gcsSite },
	lacks: map[string]string{"K": composed, "R13": noLine, "R26": noZones, "R36b": noPrune, "L1": notOurs, "L3": oneCopy, "L6": notEvicting},
}

func gcsSite(t *testing.T, _ bool) *site {
	server := gcstest.New(bucket)
	listening := httptest.NewServer(server)
	t.Cleanup(func() { listening.CloseClientConnections(); listening.Close() })
	at := &site{addr: strings.TrimPrefix(listening.URL, "http://"), tick: 1100 * time.Millisecond}
	at.opens = func(t *testing.T, addr string) (driver.Store, error) {
		client := &http.Client{Transport: &http.Transport{}} // connections of its own
		return gcsstore.Open(t.Context(), client, bucket, &gcsstore.Options{Endpoint: "http://" + addr})
	}
	at.lossy = func(t *testing.T) (driver.Store, func(), func()) {
		lose := func() {
			server.Set(func(h *gcstest.Hooks) {
				h.After = func(r *http.Request) bool { return !gcstest.IsWrite(r, "/lease/") }
			})
		}
		return at.direct(t), lose, server.Heal
	}
	at.behindProxy()
	at.keep = func() func() {
		kept := map[string]string{}
		for _, name := range server.Names("") {
			kept[name] = server.Data(name)
		}
		return func() {
			server.Remove("")
			for name, data := range kept {
				server.Put(name, data)
			}
		}
	}
	at.flush = func() { server.Remove("") }
	at.forget = func() { server.Remove("ringfence/store") }
	at.clock = func(ahead time.Duration) {
		server.Set(func(h *gcstest.Hooks) { h.Now = func() time.Time { return time.Now().Add(ahead) } })
	}
	at.age = func() { at.clock(2 * time.Minute) }
	return at
}
