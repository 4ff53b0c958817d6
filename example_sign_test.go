package ringfence_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/store/memstore"
)

// A holder signs the fence of its lease for one destination, which takes no other. The
// key of a real one is in a file of `ringfence keys`, or wherever you keep secrets.
func ExampleLease_Fence_signed() {
	key, err := fence.NewKey("2026-11", "prod", fence.Ed25519)
	if err != nil {
		log.Fatal(err)
	}
	trusted, err := fence.NewKeyring("reports-db", key.Verifier())
	if err != nil {
		log.Fatal(err)
	}
	door := guard.Door{Keys: trusted, Lease: "nightly-report"}

	locker, err := ringfence.New(memstore.New(nil), nil)
	if err != nil {
		log.Fatal(err)
	}
	work := ringfence.Work{Timeout: time.Minute, Unavailable: ringfence.Fail}
	err = locker.Run(context.Background(), "nightly-report", work, func(_ context.Context, lease *ringfence.Lease) error {
		signature, err := key.Sign(fence.Claim{
			Fence:    lease.Fence(),
			Holder:   ringfence.DefaultHolder(),
			Audience: "reports-db",
			NotAfter: lease.TrustedUntil().Add(5 * time.Minute), // for a destination whose clock is ahead
		})
		if err != nil {
			return err
		}
		sent := lease.Fence().String() // with the signature, to wherever the write goes

		held, err := door.Pass("rollups/2026-11-29", sent, signature)
		fmt.Println(held.Name, held == lease.Fence(), err)
		_, err = door.Pass("rollups/2026-11-29", fence.Fence{Name: held.Name, Token: held.Token + 1}.String(), signature)
		fmt.Println(errors.Is(err, fence.ErrRefused))
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// nightly-report true <nil>
	// true
}
