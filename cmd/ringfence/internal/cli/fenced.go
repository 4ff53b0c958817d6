package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/open"
	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/session"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard/tableguard"
)

const fencedHelp = `Programs that were never changed are fenced too, where the database guards its tables
(ringfence guard install). --fence postgres adds the fence to PGOPTIONS, which psql and
most other clients hand to the server. --fence mysql gives the client mysql, also called
mariadb, an option file by MYSQL_HOME. docs/guards/clients.md says what other clients
need. With run-unfenced, when the store is down, the command gets no fence, and guarded
tables refuse what it writes.

--establish begins the term at every guarded table of a database that the lease
protects, before the command starts: nothing older can land there any more. The
variables of a password for it are taken out of the command's environment, like those
of the store.`

// fencedFlags say how the fence gets to what the command writes to.
type fencedFlags struct{ clients, establish []string }

func (f *fencedFlags) add(c *cobra.Command) {
	c.Flags().StringSliceVar(&f.clients, "fence", nil, "hand the fence to programs by `CLIENT`: postgres, mysql; may be repeated")
	addEstablish(c, &f.establish)
	_ = c.RegisterFlagCompletionFunc("fence", cobra.FixedCompletions([]string{"postgres", "mysql"}, cobra.ShellCompDirectiveNoFileComp))
}

func addEstablish(c *cobra.Command, dsns *[]string) {
	c.Flags().StringArrayVar(dsns, "establish", nil, "begin the term at the guarded tables of the database `DSN`; may be repeated")
}

// fenced is what they ask for.
type fenced struct {
	postgres, mysql bool
	places          []open.Target
}

func (f fencedFlags) check() (fenced, error) {
	var r fenced
	for _, client := range f.clients {
		switch client {
		case "postgres":
			r.postgres = true
		case "mysql":
			r.mysql = true
		default:
			return r, usage("--fence %s: want postgres or mysql", fence.Quote(client))
		}
	}
	for _, dsn := range f.establish {
		t, err := open.Parse(dsn)
		if err != nil {
			return r, fmt.Errorf("--establish: %w", err)
		}
		if err := t.CheckTables(); err != nil {
			return r, fmt.Errorf("--establish: %w", err)
		}
		r.places = append(r.places, t)
	}
	return r, nil
}

// secrets are the variables that the passwords of the databases may come from.
func (f fenced) secrets() (names []string) {
	for _, t := range f.places {
		names = append(names, t.Secrets...)
	}
	return names
}

// carry adds to env, where the fence is, what hands it to the clients of databases.
// Without a fence it takes away that of an outer run. done follows when nobody reads
// what was added any more.
func (f fenced) carry(env map[string]string) (done func(), err error) {
	done = func() {}
	if f.postgres {
		env["PGOPTIONS"] = session.PGOptions(os.Getenv("PGOPTIONS"), map[string]string{
			"ringfence.fence": env["RINGFENCE_FENCE"], "ringfence.signature": env[signatureEnv],
		})
	}
	if f.mysql {
		home, err := session.MySQLHome(os.Getenv("MYSQL_HOME"), map[string]string{"ringfence_fence": env["RINGFENCE_FENCE"]})
		if err != nil {
			return done, &exitError{exitInternal, fmt.Errorf("the option file for --fence mysql: %w", err)}
		}
		env["MYSQL_HOME"] = home
		done = func() { _ = os.RemoveAll(home) }
	}
	return done, nil
}

// patienceToEstablish is how long establishing goes on without a word.
const patienceToEstablish = 5 * time.Second

// establish begins the term at the databases of j, one after another. Without a lease
// there is nothing to begin.
func (a *app) establish(ctx context.Context, j job, lease *ringfence.Lease, signature string) error {
	if lease.Unfenced() {
		return nil
	}
	for _, t := range j.fenced.places {
		if err := a.establishAll(ctx, j, t.Signed(signature), j.fences(lease)); err != nil {
			return err
		}
	}
	return nil
}

// establishAll begins the terms that protect something at t, of which there has to be one.
func (a *app) establishAll(ctx context.Context, j job, t open.Target, fences []fence.Fence) error {
	var unprotected error
	begun := 0
	for _, f := range fences {
		err := a.establishOne(ctx, j, t, f)
		switch {
		case errors.Is(err, tableguard.ErrUnprotected):
			unprotected = err
		case err != nil:
			return err
		default:
			begun++
		}
	}
	if begun == 0 {
		return unprotected
	}
	return nil
}

func (a *app) establishOne(ctx context.Context, j job, t open.Target, f fence.Fence) error {
	slow := time.AfterFunc(patienceToEstablish, func() {
		a.say("still waiting to establish the term at %s: a transaction of an older term may be open there", t.Label)
	})
	err := establishAt(ctx, t, f)
	slow.Stop()
	switch {
	case j.established(ctx, err):
		return nil
	case errors.Is(err, fence.ErrRefused) || ctx.Err() == nil:
		return &exitError{status(err), fmt.Errorf("establish token %s of %s: %w; %s", f.Token, fence.Quote(f.Name), err, j.notBegun())}
	case errors.Is(context.Cause(ctx), ringfence.ErrTimedOut):
		return &exitError{exitTimedOut, fmt.Errorf("%s used up its timeout of %s while its term was established at %s; the command was not run",
			fence.Quote(f.Name), span(j.work.Timeout), t.Label)}
	}
	return context.Cause(ctx)
}

// notBegun says what follows where the term could not be established.
func (j job) notBegun() string {
	if j.step {
		return "nothing is held"
	}
	return "the command was not run"
}

func establishAt(ctx context.Context, t open.Target, f fence.Fence) error {
	tables, err := t.Tables()
	if err == nil {
		defer closeSoon(tables)
		_, err = tables.Establish(ctx, f)
	}
	return atTables(t.Label, err)
}
