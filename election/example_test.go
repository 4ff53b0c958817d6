package election_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/election"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/sqlguard"
	"github.com/ringfence-go/ringfence/store/memstore"
)

// A leader publishes a plan, on any store and to any guard.
func ExampleRun() {
	ctx := context.Background()
	locker, err := ringfence.New(memstore.New(nil), nil) // in earnest: the store that you have
	if err != nil {
		log.Fatal(err)
	}
	plan := &memoryPlan{}

	err = election.Run(ctx, locker, "scheduler", election.Candidacy{
		Unavailable: election.Wait,             // what to do when the store is down: there is no default
		Resources:   []election.Resource{plan}, // nothing of an older leader lands here any more
	}, func(ctx context.Context, term *election.Term) error {
		verdict, err := term.Write(ctx, "monday", func(ctx context.Context, w guard.Write) (fence.Verdict, error) {
			return plan.Publish(ctx, w, "monday: all quiet")
		})
		fmt.Println(verdict.Outcome)
		return err // the work is done: the term is released, and Run returns
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(plan.text)
	// Output:
	// admitted
	// monday: all quiet
}

// memoryPlan stands for a resource with a guard: guard/sqlguard, guard/s3guard and so on.
type memoryPlan struct {
	mark guard.Mark
	text string
}

func (p *memoryPlan) limit() fence.Token { return fence.FutureLimit(fence.TickOf(time.Now())) }

func (p *memoryPlan) Establish(_ context.Context, f fence.Fence) (v fence.Verdict, err error) {
	p.mark, v = guard.Establish(p.mark, f, p.limit())
	return v, v.Err()
}

func (p *memoryPlan) Publish(_ context.Context, w guard.Write, text string) (v fence.Verdict, err error) {
	if p.mark, v = guard.Decide(guard.Latest, p.mark, w, p.limit()); v.Outcome == fence.Admitted {
		p.text = text
	}
	return v, v.Err()
}

// Everybody can watch an election, also who does not stand.
func ExampleObserve() {
	locker, err := ringfence.New(memstore.New(nil), &ringfence.Options{Holder: "node-1"})
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		c := election.Candidacy{Unavailable: election.Wait}
		_ = election.Run(ctx, locker, "scheduler", c, func(ctx context.Context, _ *election.Term) error {
			<-ctx.Done()
			return nil
		})
	}()
	every := &election.ObserveOptions{Interval: 10 * time.Millisecond}
	for change, err := range election.Observe(context.Background(), locker, "scheduler", every) {
		switch {
		case err != nil:
			fmt.Println("not known:", err)
		case change.Leads():
			fmt.Println(change.Holder, "leads")
			cancel()
		default:
			fmt.Println("nobody leads: the term was", change.State)
			return
		}
	}
	// Output:
	// node-1 leads
	// nobody leads: the term was released
}

var db *sql.DB // opened with the driver that your program uses

// A guard whose Establish takes more than a fence becomes a resource by a function.
func ExampleResourceFunc() {
	report, err := sqlguard.New(sqlguard.Postgres, "rollups", guard.Once, nil)
	if err != nil {
		log.Fatal(err)
	}
	candidacy := election.Candidacy{
		Unavailable: election.Fail,
		Resources: []election.Resource{
			election.ResourceFunc(func(ctx context.Context, f fence.Fence) (fence.Verdict, error) {
				return report.Establish(ctx, db, f)
			}),
		},
	}
	lead := func(ctx context.Context, term *election.Term) error {
		_, err := term.Write(ctx, "rollup-2026-11-29", func(ctx context.Context, w guard.Write) (fence.Verdict, error) {
			return report.InTx(ctx, db, w, func(tx *sql.Tx) error {
				_, err := tx.ExecContext(ctx, "UPDATE ...")
				return err
			})
		})
		return err
	}
	_, _ = candidacy, lead
}

// A write that makes its own use of the fence hands its outcome to the term: a refusal
// ends it at once.
func ExampleTerm_Heed() {
	reports := sqlguard.On(db, sqlguard.Postgres)
	lead := func(ctx context.Context, term *election.Term) error {
		return term.Heed(sqlguard.InTx(ctx, reports, term.Fence(), "rollups", func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, "UPDATE ...")
			return err
		}))
	}
	_ = lead
}
