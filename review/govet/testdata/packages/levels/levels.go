// Package levels takes its lock through another package.
package levels

import (
	"context"

	"example.test/packages/mutex"
)

// Guarded takes the lock of a tenant.
func Guarded(ctx context.Context, l mutex.Locker, tenant string) (*mutex.Lease, error) {
	return l.Acquire(ctx, "tenant:"+tenant)
}
