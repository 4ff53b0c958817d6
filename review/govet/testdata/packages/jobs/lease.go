package jobs

import (
	"context"
	"log"
	"net/http"
	"strings"

	"example.test/packages/levels"
	"example.test/packages/mutex"
)

type biller struct {
	locks *mutex.Redis
	any   mutex.Locker
}

func (b *biller) run(ctx context.Context) {
	lease, err := b.locks.Acquire(ctx, "billing") // want 7 9
	if err != nil {
		log.Printf("no lock: %v", err)
	}
	defer lease.Release(ctx)                                                                                       // want 10
	if _, err := http.Post("https://pay.example.test/charges", "text/plain", strings.NewReader("5")); err != nil { // want 8
		log.Print(err)
	}
}

func (b *biller) byInterface(ctx context.Context) error {
	lease, err := b.any.Acquire(ctx, "billing")
	if err != nil {
		return err
	}
	defer lease.Release(ctx) // want 10
	return check(ctx)
}

func (b *biller) byLevels(ctx context.Context) error {
	lease, err := levels.Guarded(ctx, b.any, "acme")
	if err != nil {
		return err
	}
	defer func() { _ = lease.Release(ctx) }() // want 10
	return check(ctx)
}

func check(context.Context) error { return nil }
