package zkstore_test

import (
	"crypto/rand"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/zkstore"
)

// BenchmarkPair measures an acquire and a release, each goroutine on a name of its
// own, beside two plain conditional writes of as many bytes by the same client, and
// the client's own lock.
func BenchmarkPair(b *testing.B) {
	z := realserver.NewZooKeeper(b, nil)
	address := z.Endpoints()[0]
	conn, _, err := zk.Connect([]string{address}, 10*time.Second, zk.WithLogger(silent{}), zk.WithLogInfo(false))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(conn.Close)
	s, err := zkstore.Open(b.Context(), address, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	for _, callers := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("raw/%d", callers), func(b *testing.B) { pairs(b, callers, rawPair(b, conn)) })
		b.Run(fmt.Sprintf("store/%d", callers), func(b *testing.B) { pairs(b, callers, storePair(b, s)) })
		b.Run(fmt.Sprintf("lock/%d", callers), func(b *testing.B) { pairs(b, callers, lockPair(b, conn)) })
	}
}

// pairs runs b.N pairs, spread over callers.
func pairs(b *testing.B, callers int, newCaller func() func() error) {
	var left atomic.Int64
	left.Store(int64(b.N))
	var all sync.WaitGroup
	for range callers {
		pair := newCaller()
		all.Go(func() {
			for left.Add(-1) >= 0 {
				if err := pair(); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pairs/s")
}

func rawPair(b *testing.B, conn *zk.Conn) func() func() error {
	return func() func() error {
		path, body := "/raw-"+rand.Text(), make([]byte, 300)
		if _, err := conn.Create(path, body, zk.FlagPersistent, zk.WorldACL(zk.PermAll)); err != nil {
			b.Error(err)
		}
		version := int32(0)
		return func() error {
			for range 2 {
				if _, err := conn.Set(path, body, version); err != nil {
					return err
				}
				version++
			}
			return nil
		}
	}
}

func storePair(b *testing.B, s *zkstore.Store) func() func() error {
	return func() func() error {
		name := rand.Text()
		return func() error {
			t, err := s.Acquire(b.Context(), request(name, time.Minute))
			if err != nil {
				return err
			}
			return s.Release(b.Context(), t)
		}
	}
}

func lockPair(_ *testing.B, conn *zk.Conn) func() func() error {
	return func() func() error {
		path := "/lock-" + rand.Text()
		return func() error {
			l := zk.NewLock(conn, path, zk.WorldACL(zk.PermAll))
			if err := l.Lock(); err != nil {
				return err
			}
			return l.Unlock()
		}
	}
}
