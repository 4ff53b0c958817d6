package cli

import (
	"github.com/spf13/cobra"

	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/child"
)

const isolateHelp = `--isolate (Linux) runs the command in a PID namespace of its own, so that no process of it
gets away: not a daemon that it has started, and not when ringfence itself is killed. It is
tried before the store is asked, and refused with 125 where this user may not have it: root
with CAP_SYS_ADMIN may, and everybody where user namespaces are on. The command sees its
own processes alone, with numbers of their own, in a /proc of its own; what it mounts goes
with it; without root, sudo and other set-user-id programs do not work in it.`

func addIsolate(c *cobra.Command, isolate *bool) {
	c.Flags().BoolVar(isolate, "isolate", false, "run the command in a PID namespace, which no process of it leaves")
}

// checkIsolate finds out before anything starts whether isolation can be had.
func checkIsolate(wanted bool) error {
	if !wanted {
		return nil
	}
	if err := child.CanIsolate(); err != nil {
		return &exitError{exitInternal, err}
	}
	return nil
}
