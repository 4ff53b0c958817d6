package stores

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/internal/realserver"
)

// everyByte makes TestLanding cut at each byte, where it otherwise cuts at three of
// each message: before its first byte, in its middle and before its last byte.
const everyByte = "RINGFENCE_EVERY_BYTE"

// destination is a guarded resource behind a proxy, under the rule Sequenced, whose
// data tell how often a term wrote.
type destination struct {
	proxy  *realserver.Proxy
	frames func(stream []byte) (ends []int) // where the messages of its protocol end

	// Through the proxy. warm leaves a connection that has done all of a write before.
	warm  func(ctx context.Context, n uint64) error
	write func(ctx context.Context, w guard.Write) (fence.Verdict, error)
	// Beside it.
	establish func(ctx context.Context, f fence.Fence) error
	applied   func(ctx context.Context, token fence.Token) (int, error)
}

// TestLanding cuts the connection in the middle of guarded writes, at every message of
// their traffic in both directions, and asks guard.Resolve what became of each. The same
// check catches whoever trusts the first error.
func TestLanding(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T) destination{
		"postgres": landingOnPostgres, "mysql": landingOnMySQL, "redis": landingOnRedis,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &cutting{destination: open(t), token: 1_000_000}
			if err := c.everywhere(t); err != nil {
				t.Fatal(err)
			}
			t.Logf("%d writes cut, %d resolved, %d wrong; %d had landed although the first answer was an error",
				c.cut, c.resolved, c.wrong, c.deceived)
			if c.resolved != c.cut || c.wrong > 0 {
				t.Errorf("want all of %d resolved, and none wrongly", c.cut)
			}
			if c.deceived == 0 || c.cut < 20 || c.missed > c.cut/10 {
				t.Errorf("%d of %d first errors deceive, and %d cuts came too late: want the answer to the commit among them", c.deceived, c.cut, c.missed)
			}
		})
	}
}

// cutting counts what came of the writes that were cut.
type cutting struct {
	destination
	token                          fence.Token // of the last term
	warmed                         uint64
	cut, resolved, wrong, deceived int
	missed                         int // the write was over before its cut
}

// everywhere cuts at each offset that the traffic of one write has.
func (c *cutting) everywhere(t *testing.T) error {
	w, err := c.begin(t.Context())
	if err != nil {
		return err
	}
	stop := c.proxy.Tape()
	if _, err := c.write(t.Context(), w); err != nil {
		return err
	}
	tape := stop()
	turn := 0
	for _, way := range []realserver.Way{realserver.Requests, realserver.Replies} {
		for _, at := range c.offsets(tape[way]) {
			endings := []bool{turn%2 == 0}
			if os.Getenv(everyByte) != "" {
				endings = []bool{false, true}
			}
			turn++
			for _, superseded := range endings {
				if err := c.once(t, way, at, superseded); err != nil {
					return fmt.Errorf("cut before byte %d of %d of way %d, superseded %t: %w", at, len(tape[way]), way, superseded, err)
				}
			}
		}
	}
	return nil
}

// offsets are those to cut at in a stream.
func (c *cutting) offsets(stream []byte) (all []int) {
	begin := 0
	for _, end := range c.frames(stream) {
		if os.Getenv(everyByte) != "" {
			for at := begin; at < end; at++ {
				all = append(all, at)
			}
		} else {
			all = append(all, begin, (begin+end)/2, end-1)
		}
		begin = end
	}
	return slices.Compact(all)
}

// begin establishes a term, and makes its first write.
func (c *cutting) begin(ctx context.Context) (guard.Write, error) {
	c.token += 2
	c.warmed++
	f := fence.Fence{Name: "job", Token: c.token}
	if err := c.establish(ctx, f); err != nil {
		return guard.Write{}, err
	}
	return guard.Write{Fence: f, Seq: 1, Key: "key " + c.token.String()}, c.warm(ctx, c.warmed)
}

// once cuts one write, has a newer term take over or not, and resolves.
func (c *cutting) once(t *testing.T, way realserver.Way, at int, superseded bool) error {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	w, err := c.begin(ctx)
	if err != nil {
		return err
	}
	cut := c.proxy.CutAfter(way, at)
	_, first := c.write(ctx, w)
	select {
	case <-cut:
	default: // this time there were fewer bytes: a driver asks after a connection that has been idle
		c.missed++
		c.proxy.Heal()
		return first
	}
	landed, err := c.applied(ctx, w.Fence.Token)
	if err != nil {
		return err
	}
	if superseded {
		if err := c.establish(ctx, fence.Fence{Name: "job", Token: w.Fence.Token + 1}); err != nil {
			return err
		}
	}
	said, err := guard.Resolve(ctx, guard.Sequenced, w, func(ctx context.Context) (fence.Verdict, error) { return c.write(ctx, w) })
	left, leftErr := c.applied(ctx, w.Fence.Token)
	if leftErr != nil {
		return leftErr
	}
	c.count(said, left)
	if !isTrue(firstErrorIsFinal(first), landed) {
		c.deceived++
	}
	if want := superseded; errors.Is(err, fence.ErrRefused) != want {
		t.Errorf("way %d, byte %d: %v, %v; want superseded: %t", way, at, said, err, want)
	}
	return nil
}

func (c *cutting) count(said guard.Landing, applied int) {
	c.cut++
	if said != guard.StillUnknown {
		c.resolved++
	}
	if !isTrue(said, applied) {
		c.wrong++
	}
}

// isTrue compares what was said of a write with how often it was applied.
func isTrue(said guard.Landing, applied int) bool {
	switch said {
	case guard.HasLanded:
		return applied == 1
	case guard.NeverLands:
		return applied == 0
	}
	return true
}

// firstErrorIsFinal is what many programs do in the place of guard.Resolve.
func firstErrorIsFinal(err error) guard.Landing {
	if err != nil {
		return guard.NeverLands
	}
	return guard.HasLanded
}

// framed cuts a stream into messages whose length is told in each.
func framed(stream []byte, length func(message []byte) int) (ends []int) {
	for at := 0; at < len(stream); {
		at += length(stream[at:])
		ends = append(ends, at)
	}
	return ends
}

func postgresFrames(stream []byte) []int {
	return framed(stream, func(m []byte) int { return 1 + int(binary.BigEndian.Uint32(m[1:])) })
}

func mysqlFrames(stream []byte) []int {
	return framed(stream, func(m []byte) int { return 4 + int(m[0]) + int(m[1])<<8 + int(m[2])<<16 })
}

func redisFrames(stream []byte) []int {
	return framed(stream, func(m []byte) int { return 1 + slices.Index(m, '\n') })
}
