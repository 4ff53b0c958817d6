package main

import (
	"context"
	"errors"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/open"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/tableguard"
)

func init() {
	scriptCommands["passes"] = passes
	scriptCommands["demands"] = demands
}

// demands TABLE TRUSTED AUDIENCE has a guarded table of the store's database ask for a
// signature by one of the exported keys.
func demands(ts *testscript.TestScript, _ bool, args []string) {
	set, err := fence.ParseKeySet([]byte(ts.ReadFile(args[1])))
	ts.Check(err)
	target, err := open.Parse(stageOf(ts).store)
	ts.Check(err)
	tables, err := target.Tables()
	ts.Check(err)
	defer tables.Close()
	ts.Check(tables.Trust(context.Background(), args[2], set.Keys...))
	ts.Check(tables.RequireSigned(context.Background(), tableguard.Signed{Table: args[0]}))
}

// passes TRUSTED AUDIENCE TERM has a destination that trusts the exported keys look at
// the environment of a command that ringfence run has started; with ! before it, the
// fence must be refused as invalid.
func passes(ts *testscript.TestScript, neg bool, args []string) {
	set, err := fence.ParseKeySet([]byte(ts.ReadFile(args[0])))
	ts.Check(err)
	keys, err := set.Keyring(args[1])
	ts.Check(err)
	env := make(map[string]string)
	for line := range strings.Lines(ts.ReadFile(args[2])) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		env[name] = value
	}
	f, err := guard.Door{Keys: keys}.Pass(args[1], env["RINGFENCE_FENCE"], env["RINGFENCE_SIGNATURE"])
	refused, _ := errors.AsType[*fence.RefusedError](err)
	switch {
	case neg && (refused == nil || refused.Verdict.Cause != fence.Invalid):
		ts.Fatalf("%v, %v; want it refused as invalid", f, err)
	case !neg:
		ts.Check(err)
	}
}
