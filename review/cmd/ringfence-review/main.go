// Ringfence-review finds unsafe locks in source code. See ringfence-review --help.
package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/ringfence-go/ringfence/review/cmd/ringfence-review/internal/cli"
	"github.com/ringfence-go/ringfence/review/govet"
)

func main() {
	if govet.Asked(os.Args[1:]) {
		govet.Main() // go vet -vettool: never returns
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := cli.Main(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
