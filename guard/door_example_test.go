package guard_test

import (
	"context"
	"database/sql"
	"errors"
	"log"
	"os"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/sqlguard"
)

var (
	ctx      context.Context
	db       *sql.DB
	account  *sqlguard.Guard
	received struct{ Fence, Signature, ID string }
	apply    func(*sql.Tx) error
)

// The keys that a destination trusts are what `ringfence keys export` has printed.
func ExampleDoor() {
	text, err := os.ReadFile("trusted.json")
	if err != nil {
		log.Fatal(err)
	}
	set, err := fence.ParseKeySet(text)
	if err != nil {
		log.Fatal(err)
	}
	keys, err := set.Keyring("accounts")
	if err != nil {
		log.Fatal(err)
	}
	door := guard.Door{Keys: keys, Lease: "payouts"}

	f, err := door.Pass("account/17", received.Fence, received.Signature)
	if err != nil {
		log.Fatal(err) // refused; no mark was touched
	}
	_, err = account.InTx(ctx, db, guard.Write{Fence: f, Key: received.ID}, apply)
	if errors.Is(err, fence.ErrRefused) {
		log.Fatal(err) // signed, and stale all the same
	}
}
