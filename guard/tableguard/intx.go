package tableguard

import (
	"context"
	"database/sql"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/internal/sqlfault"
)

// resource is what verdicts are about that name no table.
const resource = "guarded tables"

// Counter is where the verdicts of InTx are counted, those of this process: set its hook
// before the first call. [DB.Refusals] counts those of every writer.
func (d *DB) Counter() *guard.Counter { return &d.counter }

// InTx runs fn in one transaction that carries w, and commits it: what fn writes to
// guarded tables is judged by them, under the rule of each, and counts as one write.
// Seq is looked at under Sequenced, Key under Sequenced and Once.
//
// fn returns the errors of its statements, wrapped or not, and leaves commit and
// rollback to InTx. When it fails, nothing is applied and the marks are as they were.
// The error is nil exactly when the verdict is Admitted or Duplicate; a Duplicate was
// applied before, and its transaction was rolled back. A transaction that wrote to no
// guarded table was judged by none and is Admitted.
func (d *DB) InTx(ctx context.Context, w guard.Write, fn func(tx *sql.Tx) error) (fence.Verdict, error) {
	v, err := d.inTx(ctx, w, fn)
	d.counter.Count(v)
	return v, err
}

func (d *DB) inTx(ctx context.Context, w guard.Write, fn func(tx *sql.Tx) error) (fence.Verdict, error) {
	if err := d.dialect.check(); err != nil {
		return fence.Verdict{}, err
	}
	if bad := (guard.Write{Fence: w.Fence, Key: w.Key}).Check(guard.Latest); bad != nil || w.Seq > guard.MaxSeq {
		v := fence.Verdict{Outcome: fence.Refused, Cause: fence.Invalid, Resource: resource, Fence: w.Fence}
		return v, v.Err()
	}
	about := d.about(w.Fence)
	t, err := d.begin(ctx, w, sql.LevelDefault)
	if err != nil {
		return sqlfault.VerdictOf(about.Inside(err))
	}
	defer t.end(ctx)
	err = fn(t.Tx)
	if v, ok := d.dialect.Answer(w.Fence, err); ok {
		t.observe(ctx, w.Fence, &v)
		return v, v.Err()
	}
	if err != nil {
		return fence.Verdict{Outcome: fence.Unavailable, Resource: resource, Fence: w.Fence}, about.Effect(err)
	}
	if err := t.layDown(ctx); err != nil {
		return sqlfault.VerdictOf(about.Inside(err))
	}
	if err := ctx.Err(); err != nil { // the commit is not sent
		return sqlfault.VerdictOf(about.Inside(err))
	}
	if err := t.commit(ctx); err != nil {
		return sqlfault.VerdictOf(about.Committed(ctx, err))
	}
	return fence.Verdict{Outcome: fence.Admitted, Resource: resource, Fence: w.Fence, Mark: w.Fence.Token}, nil
}

func (d *DB) about(f fence.Fence) sqlfault.Subject {
	return sqlfault.Subject{Resource: resource, Fence: f, Guard: "tableguard", Missing: "guard a table with Install, or give the role its rights"}
}
