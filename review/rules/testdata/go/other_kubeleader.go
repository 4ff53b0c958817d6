package kubeleader

import (
	"context"
	"database/sql"
	"time"

	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

func Run(ctx context.Context, l resourcelock.Interface, db *sql.DB) {
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock: l, LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) { lead(ctx, db) },
			OnStoppedLeading: func() {},
		},
	})
}

func lead(ctx context.Context, db *sql.DB) {
	for ctx.Err() == nil {
		if _, err := db.ExecContext(ctx, "UPDATE quotas SET used = 0 WHERE day < current_date"); err != nil { // want 11
			return
		}
	}
}
