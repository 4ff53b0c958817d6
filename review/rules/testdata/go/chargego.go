package chargego

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/bsm/redislock"
)

type Biller struct {
	locks *redislock.Client
	http  *http.Client
}

func (b *Biller) Bill(ctx context.Context, id string) error {
	lk, err := b.locks.Obtain(ctx, "bill:"+id, 5*time.Second, nil) // want 7
	if err != nil {
		return fmt.Errorf("bill %s: %w", id, err)
	}
	defer func() { _ = lk.Release(ctx) }()                                                             // want 10
	resp, err := b.http.Post("https://pay.example/charges", "application/json", strings.NewReader(id)) // want 8
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
