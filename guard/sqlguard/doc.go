// Package sqlguard guards rows and tables of PostgreSQL, SQLite and MySQL through
// database/sql. It imports no driver: open the database with the one you use.
//
// There are two shapes, told apart in docs/guards/sql.md.
//
// A mark beside the data ([InTx], [Guard]): the first statement of your own
// transaction locks the mark and judges the fence, so that any number of
// statements in it are fenced together.
//
//	db := sqlguard.On(sqlDB, sqlguard.Postgres)
//	err := sqlguard.InTx(ctx, db, lease.Fence(), "rollups/2026-11-29", func(tx *sql.Tx) error {
//		_, err := tx.ExecContext(ctx, "UPDATE ...")
//		return err
//	})
//
// A fence column on the row ([Column]): one statement and one round trip for one row.
//
// [Setup] creates the tables of the first shape. [Owned] asks, in the same
// transaction as the effect, whether the term is still the current one in the
// lease table, for programs that keep both in one database.
//
// # Errors
//
// A refused write is an error that matches fence.ErrRefused and is a
// *fence.RefusedError with the whole verdict. Every other failure is a
// *guard.Error that matches exactly one of guard.ErrRetry, ErrUnknown,
// ErrUnavailable and ErrUnfit, or it matches fence.ErrInvalid where the call
// itself is wrong. A serialization failure, a deadlock or a busy database is
// guard.ErrRetry and never a refusal.
package sqlguard
