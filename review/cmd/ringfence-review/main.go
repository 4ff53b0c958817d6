// Ringfence-review finds unsafe locks in source code. See ringfence-review --help.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"

	"github.com/ringfence-go/ringfence/review/cmd/ringfence-review/internal/cli"
	"github.com/ringfence-go/ringfence/review/govet"
)

func main() {
	if govet.Asked(os.Args[1:]) {
		govet.Main() // go vet -vettool: never returns
	}
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	debug.SetGCPercent(400)         // what is read is dropped soon: time is worth more than memory ...
	debug.SetMemoryLimit(400 << 20) // ... up to here
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return cli.Main(ctx, args, os.Stdout, os.Stderr)
}
