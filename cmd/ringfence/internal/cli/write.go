package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// What ringfence run puts into the environment of its command.
const (
	nameEnv      = "RINGFENCE_NAME"
	fenceEnv     = "RINGFENCE_FENCE"
	signatureEnv = "RINGFENCE_SIGNATURE"
)

// carriedFence is the fence of the run that this command is a part of.
func carriedFence() (fence.Fence, error) {
	text, there := os.LookupEnv(fenceEnv)
	switch {
	case there:
		f, err := fence.Parse(text)
		if err != nil {
			err = fmt.Errorf("%s: %w", fenceEnv, err)
		}
		return f, err
	case os.Getenv(nameEnv) != "":
		return fence.Fence{}, usage("there is no %s: the run of %s has no lease, since its store was down and --if-unavailable says run-unfenced; a guard admits nothing without one",
			fenceEnv, fence.Quote(os.Getenv(nameEnv)))
	}
	return fence.Fence{}, usage("there is no %s in the environment: start this by ringfence run NAME ... -- COMMAND, which puts it there", fenceEnv)
}

const writeHelp = `The fence is that of the ringfence run that this is a part of (` + fenceEnv + `). A
newer holder's is refused by the destination: status 77, and the job should end. That
is recorded with the run, or in the journal that --journal names; ringfence history
shows it.

  latest     every write whose token is not below the highest that was seen (default)
  once       the first write of each term
  sequenced  the writes of a term in the order of --seq, each once

The term is established at the destination first, which makes the mark where there is
none; with --no-establish it has to be there. Under once and sequenced a write that is
sent again is applied once, so where the outcome is unknown (status 74) run the very
same again: same --seq, same --key.`

const writeExitHelp = `Exit status:
  0    applied, now or before
  64   usage: a flag, the URL or the fence is wrong; nothing was touched
  65   what is to be written is wrong: the database's or the disk's own words say how; nothing is applied
  69   the destination can't be used, or is busy; nothing is applied
  74   the outcome is unknown: the answer was lost, or a script has committed by itself
  77   refused by the destination; nothing is applied
  128+n  ended by signal n; nothing is applied`

// place is a flag's value: a number in a sequence, from 1.
type place uint64

func (p *place) String() string {
	if *p == 0 {
		return "" // no default to show
	}
	return strconv.FormatUint(uint64(*p), 10)
}

// Type is the word for the value in the help.
func (p *place) Type() string { return "NUMBER" }

// Set implements pflag.Value.
func (p *place) Set(s string) error {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil || n < 1 || n > guard.MaxSeq {
		return fmt.Errorf("want a whole number, 1 to %d", uint64(guard.MaxSeq))
	}
	*p = place(n)
	return nil
}

// writeFlags say which write of its term this is.
type writeFlags struct {
	rule, key   string
	seq         place
	noEstablish bool
}

func (f *writeFlags) add(c *cobra.Command) {
	fl := c.Flags()
	fl.StringVar(&f.rule, "rule", guard.Latest.String(), "`RULE` of the destination: latest, once or sequenced")
	fl.Var(&f.seq, "seq", "place of this write in its term, from 1; only with --rule sequenced")
	fl.StringVar(&f.key, "key", "", "what tells this write from another one; a hash of its content where absent")
	fl.BoolVar(&f.noEstablish, "no-establish", false, "have a destination refuse where no mark of the term, or of an older one, is")
	_ = c.RegisterFlagCompletionFunc("rule", cobra.FixedCompletions([]string{"latest", "once", "sequenced"}, cobra.ShellCompDirectiveNoFileComp))
}

// check reads the flags and the environment; the key is still missing where none is given.
func (f writeFlags) check() (guard.Rule, guard.Write, error) {
	w := guard.Write{Seq: uint64(f.seq), Key: f.key}
	var rule guard.Rule
	for r := guard.Once; r <= guard.Latest; r++ {
		if r.String() == f.rule {
			rule = r
		}
	}
	switch {
	case rule == 0:
		return rule, w, usage("--rule %s: want latest, once or sequenced", fence.Quote(f.rule))
	case rule == guard.Sequenced && f.seq == 0:
		return rule, w, usage("--rule sequenced needs --seq: 1 for the first write of the term, then 2, 3, and so on")
	case rule != guard.Sequenced && f.seq != 0:
		return rule, w, usage("--seq goes with --rule sequenced")
	}
	var err error
	if w.Fence, err = carriedFence(); err != nil {
		return rule, w, err
	}
	complete := w
	if complete.Key == "" {
		complete.Key = "a hash of the content"
	}
	return rule, w, complete.Check(rule)
}

// keyOf is a key that the same content has again.
func keyOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// atDestination is the failure of a guarded write at a place, as an exit status and what to do.
func atDestination(label string, rule guard.Rule, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fence.ErrRefused), errors.Is(err, fence.ErrInvalid):
		return fmt.Errorf("%s: %w", label, err)
	case errors.Is(err, guard.ErrUnknown):
		again := "run the very same again, with the same --seq and --key: it is applied once"
		if rule == guard.Latest {
			again = "look whether it is applied; with --rule once or sequenced it could be run again safely"
		}
		return &exitError{exitUnknown, fmt.Errorf("%s: %w; %s", label, err, again)}
	case errors.Is(err, guard.ErrRetry):
		return &exitError{exitUnavailable, fmt.Errorf("%s: %w; run it again", label, err)}
	case errors.Is(err, guard.ErrUnavailable), errors.Is(err, guard.ErrUnfit):
		return &exitError{exitUnavailable, fmt.Errorf("%s: %w", label, err)}
	}
	return fmt.Errorf("%s: %w", label, err)
}
