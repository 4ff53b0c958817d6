package sqlstore

import (
	"database/sql"
	"sync/atomic"
)

// pool says how many statements a *sql.DB bears at once.
type pool struct {
	db           *sql.DB
	limit        int         // by the caller; 0 for as many as it bears
	closedBefore int64       // how many connections it had closed at Open
	poor         atomic.Bool // it has closed more since
}

func newPool(db *sql.DB, o Options) *pool {
	return &pool{db: db, limit: o.Workers, closedBefore: db.Stats().MaxIdleClosed}
}

// workers are as many as the option says. Without it, no more than the pool keeps
// connections by default, where it closed one: to open them again for each
// statement costs many times what more workers gain.
func (p *pool) workers() int {
	switch {
	case p.limit > 0:
		return p.limit
	case p.poor.Load():
		return 2
	}
	return 8
}

// look notes whether the pool has closed a connection.
func (p *pool) look() {
	if p.limit == 0 && !p.poor.Load() && p.db.Stats().MaxIdleClosed > p.closedBefore {
		p.poor.Store(true)
	}
}
