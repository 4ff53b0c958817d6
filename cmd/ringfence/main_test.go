package main

import (
	"flag"
	"os"
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
	testscript.Main(m, map[string]func(){
		"ringfence": main, "write-pgx": writeThrough("pgx"), "write-pq": writeThrough("postgres"),
	})
}
