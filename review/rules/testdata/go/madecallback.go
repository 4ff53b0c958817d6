package tides

import (
	"context"
	"database/sql"
	"time"

	"k8s.io/client-go/tools/leaderelection"
)

type gauges struct{ db *sql.DB }

func (g *gauges) stand(ctx context.Context, c leaderelection.LeaderElectionConfig) {
	c.Callbacks = leaderelection.LeaderCallbacks{
		OnStartedLeading: g.eachTide(6 * time.Hour),
		OnStoppedLeading: func() {},
	}
	leaderelection.RunOrDie(ctx, c)
}

// eachTide makes what the leader does.
func (g *gauges) eachTide(d time.Duration) func(context.Context) {
	return func(ctx context.Context) {
		for ctx.Err() == nil {
			g.level(ctx)
			time.Sleep(d)
		}
	}
}

func (g *gauges) level(ctx context.Context) {
	g.db.ExecContext(ctx, "UPDATE gauges SET level = level + drift") // want 11
}
