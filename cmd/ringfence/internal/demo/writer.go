package demo

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/open"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard/sqlguard"
)

// jobEnv carries a job to a process: its URLs may hold a password, which has no
// place among the arguments.
const jobEnv = "RINGFENCE_DEMO_JOB"

// job is what one process is to do.
type job struct {
	Store, Destination, Name, Author string
	Fenced                           bool
}

// answer is what a process says: when it holds the lease, and after its write.
type answer struct {
	Token   fence.Token `json:",omitzero"`
	Written bool
	Verdict verdict `json:",omitzero"`
}

// verdict is the part of a fence.Verdict that the demo tells.
type verdict struct {
	Cause string
	Token fence.Token
	Mark  fence.Token `json:",omitzero"`
}

// Write is the life of one process: acquire, check, wait for the word, write, release.
func Write(ctx context.Context, in io.Reader, out io.Writer) error {
	var j job
	if err := json.Unmarshal([]byte(os.Getenv(jobEnv)), &j); err != nil {
		return fmt.Errorf("this is a part of ringfence demo, not a command of its own: %w", err)
	}
	at, err := open.Parse(j.Store)
	if err != nil {
		return err
	}
	to, err := open.Parse(j.Destination)
	if err != nil {
		return err
	}
	store, err := at.Store(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	db, err := to.Database(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	locker, err := ringfence.New(store, &ringfence.Options{Holder: "process " + j.Author})
	if err != nil {
		return err
	}
	begun := time.Now()
	lease, err := locker.TryAcquire(ctx, j.Name, ringfence.Hold{TTL: leaseLength})
	if err != nil {
		return err
	}
	defer lease.Release(ctx)
	said := json.NewEncoder(out)
	if err := lease.Context().Err(); err != nil { // the usual check: "the lock is mine"
		return err
	}
	if err := said.Encode(answer{Token: lease.Fence().Token}); err != nil {
		return err
	}
	// Here a process is paused. Whatever it checked before says nothing about now.
	if _, err := bufio.NewReader(in).ReadString('\n'); err != nil {
		return err
	}
	a := answer{Token: lease.Fence().Token}
	body := fmt.Sprintf("the figures of %s, by process %s", begun.Format(time.TimeOnly), j.Author)
	a.Verdict, err = publish(ctx, db, to, j, lease.Fence(), body)
	a.Written = err == nil
	if err != nil && !errors.Is(err, fence.ErrRefused) {
		return err
	}
	return said.Encode(a)
}

func publish(ctx context.Context, db *sql.DB, to open.Target, j job, f fence.Fence, body string) (verdict, error) {
	write := func(q sqlguard.Runner) error {
		_, err := q.ExecContext(ctx, "UPDATE "+reportTable+" SET author = $1, body = $2 WHERE id = 1", j.Author, body)
		return err
	}
	if !j.Fenced {
		return verdict{}, write(db)
	}
	err := sqlguard.InTx(ctx, sqlguard.On(db, guardDialect(to)), f, j.Name, func(tx *sql.Tx) error { return write(tx) })
	refused, ok := errors.AsType[*fence.RefusedError](err)
	if !ok {
		return verdict{}, err
	}
	v := refused.Verdict
	return verdict{v.Cause.String(), v.Fence.Token, v.Mark}, err
}
