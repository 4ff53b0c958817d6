package main

import (
	"flag"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/child"
)

// TestMain makes this binary the command ringfence wherever a script names it, so
// that it is built once, with the race detector where the tests are.
func TestMain(m *testing.M) {
	child.BeInit()
	_ = os.Setenv("GORACE", "atexit_sleep_ms=0") // a second for each process otherwise
	_ = flag.Set("test.parallel", "8")           // scripts mostly wait; -parallel wins over it
	testscript.Main(signalled{m}, map[string]func(){
		"ringfence": main, "write-pgx": writeThrough("pgx"), "write-pq": writeThrough("postgres"),
	})
}

// signalled are tests whose processes end by signals also where the tests themselves ignore them,
// as under nohup or in the background of a script: what a process ignores those that it starts ignore too.
type signalled struct{ *testing.M }

func (s signalled) Run() int {
	for _, sig := range []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT} {
		if signal.Ignored(sig) {
			signal.Notify(make(chan os.Signal, 1), sig)
		}
	}
	return s.M.Run()
}
