package warm

import (
	"net/http"
	"strings"

	"github.com/bradfitz/gomemcache/memcache"
)

type Warmer struct{ mc *memcache.Client }

func (w *Warmer) Once(name string) error {
	err := w.mc.Add(&memcache.Item{Key: "warm/" + name, Value: []byte("1"), Expiration: 30}) // want 7
	if err == memcache.ErrNotStored {
		return nil
	}
	if err != nil {
		return err
	}
	defer w.mc.Delete("warm/" + name)                                                           // want 1
	resp, err := http.Post("https://hooks.example/warm", "text/plain", strings.NewReader(name)) // want 8
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
