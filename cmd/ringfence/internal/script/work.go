package script

import (
	"context"
	"database/sql"
	"errors"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/sqlguard"
)

// Work is a script, and what it takes to be let in.
type Work struct {
	Text      string // of the statements
	Resource  string // that has the mark
	Rule      guard.Rule
	Write     guard.Write
	Establish bool   // the term, before anything else
	Signature string // of the fence, for guarded tables that ask for it; "" for none
}

// Run does w at db in one transaction: the decision, the statements, the commit. The
// results are there exactly when the verdict is Admitted and the error nil. A guarded
// table that the statements write to has the last word.
func (w Work) Run(ctx context.Context, db *sql.DB, d sqlguard.Dialect) (fence.Verdict, []Result, error) {
	g, err := sqlguard.New(d, w.Resource, w.Rule, nil)
	if err != nil {
		return fence.Verdict{}, nil, err
	}
	if err := sqlguard.Setup(ctx, db, d); err != nil {
		return fence.Verdict{Outcome: fence.Unavailable, Resource: w.Resource, Fence: w.Write.Fence}, nil, err
	}
	conn, t, err := w.connect(ctx, db, d)
	if err != nil {
		e := &guard.Error{Kind: guard.ErrUnavailable, Resource: w.Resource, Fence: w.Write.Fence, Err: err}
		return e.Verdict(), nil, e
	}
	defer conn.Close()
	var results []Result
	v, err := w.admitted(ctx, g, conn, func(tx *sql.Tx) error {
		return t.within(ctx, tx, w, func() (err error) {
			results, err = execute(ctx, conn, d, w.Text)
			return err
		})
	})
	if e, ok := errors.AsType[*answeredError](err); ok {
		return e.verdict, nil, e.verdict.Err()
	}
	return v, results, err
}

// connect takes a connection for the whole script.
func (w Work) connect(ctx context.Context, db *sql.DB, d sqlguard.Dialect) (*sql.Conn, tables, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, tables{}, err
	}
	t, err := findTables(ctx, conn, d)
	if err != nil {
		_ = conn.Close()
	}
	return conn, t, err
}

// admitted runs fn in the transaction of the guard. Under Latest the establishing is a
// part of it; under the other rules it comes before, and does not use up the write.
func (w Work) admitted(
	ctx context.Context, g *sqlguard.Guard, conn *sql.Conn, fn func(*sql.Tx) error,
) (fence.Verdict, error) {
	if w.Establish && w.Rule == guard.Latest {
		return g.EstablishInTx(ctx, conn, w.Write.Fence, fn)
	}
	if w.Establish {
		if v, err := g.Establish(ctx, conn, w.Write.Fence); err != nil {
			return v, err
		}
	}
	return g.InTx(ctx, conn, w.Write, fn)
}

// execute is how each database runs a text of several statements.
func execute(ctx context.Context, conn *sql.Conn, d sqlguard.Dialect, text string) ([]Result, error) {
	switch d {
	case sqlguard.Postgres:
		return onPostgres(ctx, conn, text)
	case sqlguard.MySQL:
		return onMySQL(ctx, conn, text)
	}
	return onSQLite(ctx, conn, text)
}
