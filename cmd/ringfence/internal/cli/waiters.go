package cli

import (
	"context"
	"fmt"

	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/open"
	"github.com/ringfence-go/ringfence/driver"
)

// waiterJSON is a waiter for programs.
type waiterJSON struct {
	driver.Waiter
	WaitedSeconds float64 `json:"waited_seconds"`
}

// waiters reads who waits for name, in order; none where the store keeps no line.
func waiters(ctx context.Context, s open.Store, name string) ([]waiterJSON, error) {
	q, ok := s.(driver.Queue)
	if !ok {
		return []waiterJSON{}, nil
	}
	all, err := asked(ctx, func(ctx context.Context) ([]driver.Waiter, error) {
		return q.Waiters(ctx, name, driver.MaxWaiters)
	})
	line := make([]waiterJSON, 0, len(all))
	for _, w := range all {
		line = append(line, waiterJSON{w, w.Waited.Seconds()})
	}
	return line, err
}

// shownWaiters is how many a table shows.
const shownWaiters = 20

func waiterRows(line []waiterJSON) [][]string {
	if len(line) == 0 {
		return nil
	}
	rows := [][]string{{"waiting", fmt.Sprint(len(line))}}
	for i, w := range line[:min(len(line), shownWaiters)] {
		rows = append(rows, []string{fmt.Sprintf("waiter %d", i+1), fmt.Sprintf("%s, for %s", orDash(w.Holder), short(w.Waited))})
	}
	if more := len(line) - shownWaiters; more > 0 {
		rows = append(rows, []string{"", fmt.Sprintf("and %d more; --output json lists all", more)})
	}
	return rows
}
