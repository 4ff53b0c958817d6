package main

import (
	"errors"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

func init() {
	scriptCommands["passes"] = passes
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
