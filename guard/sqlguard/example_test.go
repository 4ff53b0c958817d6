package sqlguard_test

import (
	"context"
	"database/sql"
	"errors"
	"log"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/sqlguard"
)

var (
	ctx   context.Context
	sqlDB *sql.DB     // opened with the driver that your program uses
	held  fence.Fence // lease.Fence() of the lease that this program holds
)

// Everything that the function does counts together, or not at all once a newer
// holder has been at the resource.
func ExampleInTx() {
	db := sqlguard.On(sqlDB, sqlguard.Postgres)
	err := sqlguard.InTx(ctx, db, held, "rollups/2026-11-29", func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM rollup WHERE day = $1", "2026-11-29"); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO rollup SELECT day, sum(amount) FROM sale WHERE day = $1 GROUP BY day", "2026-11-29")
		return err
	})
	switch {
	case errors.Is(err, fence.ErrRefused):
		log.Fatal(err) // refused means stop
	case errors.Is(err, guard.ErrRetry):
		log.Print("run it again: ", err)
	case err != nil:
		log.Print(err)
	}
}

// One row, one statement: the row's own column holds the token.
func ExampleColumn() {
	reports := sqlguard.Column{
		Dialect: sqlguard.Postgres,
		Table:   "report", ID: "day", Fence: "fence",
		Lease: "nightly-report",
		Rule:  guard.Latest,
	}
	verdict, err := reports.Update(ctx, sqlDB, held, "2026-11-29", "body = $1, lines = $2", "...", 12)
	if err != nil {
		log.Fatal(verdict, err)
	}
}

// Writes that are numbered within their term are applied once each, however
// often they are sent.
func ExampleGuard_InTx() {
	account, err := sqlguard.New(sqlguard.Postgres, "account/17", guard.Sequenced, &sqlguard.Options{Lease: "payouts"})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := account.Establish(ctx, sqlDB, held); err != nil { // then read what is to be changed
		log.Fatal(err)
	}
	payout := guard.Write{Fence: held, Seq: 1, Key: "payout-2026-11-29"}
	// The same write again and again, until its fate is known: applied once, whatever
	// became of the first try.
	landing, err := guard.Resolve(ctx, guard.Sequenced, payout, func(ctx context.Context) (fence.Verdict, error) {
		return account.InTx(ctx, sqlDB, payout, func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, "UPDATE account SET balance = balance - $1 WHERE id = 17", 100)
			return err
		})
	})
	if landing != guard.HasLanded {
		log.Fatal(landing, err)
	}
}

// A result that was computed from data of more than ten minutes ago is refused, whoever
// holds the lease.
func ExampleNow() {
	prices, err := sqlguard.New(sqlguard.Postgres, "prices", guard.Once, &sqlguard.Options{MaxAge: 10 * time.Minute})
	if err != nil {
		log.Fatal(err)
	}
	asOf, err := sqlguard.Now(ctx, sqlDB, sqlguard.Postgres) // before the first input is read
	if err != nil {
		log.Fatal(err)
	}
	// ... read the inputs, and compute ...
	w := guard.Write{Fence: held, Key: "2026-11-29", AsOf: asOf}
	verdict, err := prices.InTx(ctx, sqlDB, w, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE price SET amount = $1 WHERE item = 'tea'", 3)
		return err
	})
	if verdict.Cause == fence.Outdated {
		log.Print("read the inputs again: ", err)
	}
}

// The guard as the first statement of a transaction of your own.
func ExampleGuard_Admit() {
	rollup, err := sqlguard.New(sqlguard.SQLite, "rollups/2026-11-29", guard.Once, nil)
	if err != nil {
		log.Fatal(err)
	}
	publish := func() error {
		tx, err := sqlDB.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback()
		verdict, err := rollup.Admit(ctx, tx, guard.Write{Fence: held, Key: "attempt-1"})
		if err != nil || verdict.Outcome == fence.Duplicate {
			return err // rolled back; a duplicate is in place already
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO rollup VALUES ('2026-11-29', 42)"); err != nil {
			return err
		}
		return tx.Commit()
	}
	if err := publish(); err != nil {
		log.Fatal(err)
	}
}

// Leases and data in one database: ask the lease table itself.
func ExampleOwned() {
	tx, err := sqlDB.BeginTx(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer tx.Rollback()
	if _, err := (sqlguard.Owned{Dialect: sqlguard.Postgres, Strict: true}).Admit(ctx, tx, held); err != nil {
		log.Fatal(err)
	}
	// ... the statements of the effect ...
	if err := tx.Commit(); err != nil {
		log.Fatal(err)
	}
}
