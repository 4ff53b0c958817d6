package cases

import (
	"context"
	"database/sql"

	"github.com/hashicorp/consul/api"
)

func settle(ctx context.Context, client *api.Client, db *sql.DB) error {
	l, err := client.LockKey("settlement/lock")
	if err != nil {
		return err
	}
	l.Lock(nil)                                                                         // want 9
	defer l.Unlock()                                                                    // want 10
	_, err = db.ExecContext(ctx, "INSERT INTO settlements (day) VALUES (current_date)") // want 4
	return err
}

func settleChecked(ctx context.Context, client *api.Client, run func(context.Context) error) error {
	l, err := client.LockKey("settlement/lock")
	if err != nil {
		return err
	}
	lost, err := l.Lock(ctx.Done())
	if err != nil || lost == nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { <-lost; cancel() }()
	if err := run(ctx); err != nil {
		l.Unlock() // want 10
		return err
	}
	return l.Unlock()
}
