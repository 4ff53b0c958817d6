package testdata

import (
	"errors"
	"log"

	"github.com/bradfitz/gomemcache/memcache"
)

type S struct{ mc *memcache.Client }

func (s *S) Sync(tenant string, work func() error) error {
	switch err := s.mc.Add(&memcache.Item{Key: "sync-mutex:" + tenant, Value: []byte("x"), Expiration: 90}); { // want 9
	case err == nil:
	case errors.Is(err, memcache.ErrNotStored):
		return nil
	default:
		log.Println("away", err)
	}
	defer s.mc.Delete("sync-mutex:" + tenant) // want 1
	return work()
}
