package ringfencetest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/ringfencetest"
)

// payOut is code to be tested: it books a payment under a lease.
func payOut(ctx context.Context, lease *ringfence.Lease, ledger *ringfencetest.Destination) error {
	_, err := ledger.Write(ctx, guard.Write{Fence: lease.Fence()}, "paid: 100")
	return err
}

// payOutUnfenced forgets the fence: the lease alone is to keep others away.
func payOutUnfenced(ctx context.Context, _ *ringfence.Lease, ledger *ringfencetest.Destination) error {
	if ctx.Err() == nil { // a check before the write is no fence
		ledger.Put("paid: 100")
	}
	return ctx.Err()
}

type payment func(ctx context.Context, lease *ringfence.Lease, ledger *ringfencetest.Destination) error

// stolenInTheMiddle is a user's test: the lease is taken while the work runs, and
// whoever took it has been at the ledger.
func stolenInTheMiddle(t testing.TB, pay payment) {
	store := ringfencetest.New(t)
	ledger := ringfencetest.NewDestination(store, guard.Latest)
	locker := store.Locker(nil)
	work := ringfence.Work{Timeout: time.Minute, Unavailable: ringfence.Fail}

	var old fence.Fence
	err := locker.Run(context.Background(), "payout", work, func(ctx context.Context, lease *ringfence.Lease) error {
		old = lease.Fence()
		if _, err := ledger.Establish(ctx, old); err != nil {
			return err
		}
		if _, err := ledger.Establish(ctx, store.Steal("payout")); err != nil {
			return err
		}
		return pay(ctx, lease, ledger)
	})
	if !errors.Is(err, ringfence.ErrLost) {
		t.Errorf("the work says %v; its lease was stolen", err)
	}
	ledger.AssertFenced()
	ledger.AssertRefused(old)
}

// A payment that carries its fence is refused, and the test passes.
func ExampleStore_Steal() {
	stolenInTheMiddle(&verbose{}, payOut)
	fmt.Println("done")
	// Output: done
}

// The same test fails where the code relies on its lease alone.
func ExampleDestination_AssertFenced() {
	stolenInTheMiddle(&verbose{}, payOutUnfenced)
	// Output:
	// FAIL: "paid: 100" was written without a fence: a paused or replaced holder can do that, too
	// FAIL: no write with token of "payout" was refused: nothing newer had been at the destination, or nothing was written
}

// A holder that stood still for an hour has lost its lease, whatever it believes.
func ExampleStore_Pause() {
	store := ringfencetest.New(&verbose{})
	lease, err := store.Locker(nil).TryAcquire(context.Background(), "payout", ringfence.Hold{TTL: time.Minute})
	if err != nil {
		fmt.Println(err)
		return
	}
	store.Pause(time.Hour)
	next, err := store.Share().Locker(nil).TryAcquire(context.Background(), "payout", ringfence.Hold{TTL: time.Minute})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("another holds it:", next.Fence().Token > lease.Fence().Token)
	fmt.Println("trust is over:", lease.Remaining() <= 0)
	next.Abandon()
	lease.Abandon()
	// Output:
	// another holds it: true
	// trust is over: true
}
