package ruling

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ringfence-go/ringfence/driver"
)

var errClient = errors.New("what the client said")

func judge(err error) Ruling {
	if r, ok := Of(err); ok {
		return r
	}
	return Doubt(err)
}

func TestRulingIsFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want error
	}{
		{Refuse(errClient, "x"), driver.ErrUnfit},
		{fmt.Errorf("below: %w", Unavailable(errClient)), driver.ErrUnavailable},
		{fmt.Errorf("below: %w", &driver.Fault{Kind: driver.ErrClosed, Err: errClient}), driver.ErrClosed},
		{errClient, driver.ErrUnknown},
	} {
		if r := judge(c.err); r.Kind != c.want || !errors.Is(r, errClient) {
			t.Errorf("%v is ruled %v: %v; want %v", c.err, r.Kind, r, c.want)
		}
	}
}

// TestLostWriteStaysInDoubt: an answer that was lost is not made up for by one that
// says only that the next try did nothing.
func TestLostWriteStaysInDoubt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err   error
		doubt bool
		want  error
	}{
		{Unavailable(errClient), true, driver.ErrUnknown},
		{&driver.Fault{Kind: driver.ErrClosed, Err: errClient}, true, driver.ErrUnknown},
		{Refuse(errClient, "x"), true, driver.ErrUnfit},
		{Changed(errClient), false, driver.ErrUnavailable},
	} {
		if r := judge(Judge(judge).InDoubt(c.doubt, c.err)); r.Kind != c.want {
			t.Errorf("%v, doubt %t: %v; want %v", c.err, c.doubt, r.Kind, c.want)
		}
	}
}

func TestExplainedOnce(t *testing.T) {
	t.Parallel()
	explain := func(err error) error { return Judge(judge).Explain("NATS", "renew x", err) }
	held := &driver.HeldError{Name: "x"}
	if explain(nil) != nil || explain(held) != error(held) {
		t.Error("changed what the contract has already")
	}
	err := explain(Refuse(errClient, "do this"))
	if !errors.Is(err, driver.ErrUnfit) || !errors.Is(err, errClient) ||
		!strings.Contains(err.Error(), "NATS: renew x: what the client said") || !strings.Contains(err.Error(), "do this") {
		t.Errorf("%v; want the store, the call, the cause and the hint", err)
	}
}
