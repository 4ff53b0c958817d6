package cases

import (
	"context"
	"database/sql"
	"time"

	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

type Controller struct{ db *sql.DB }

func (c *Controller) Start(ctx context.Context, lock resourcelock.Interface) {
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock: lock, LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) { c.reconcile(ctx) },
			OnStoppedLeading: func() {},
		},
	})
}

func (c *Controller) reconcile(ctx context.Context) {
	c.db.ExecContext(ctx, "UPDATE nodes SET state = 'drained' WHERE seen < now() - interval '1 hour'") // want 11
}
