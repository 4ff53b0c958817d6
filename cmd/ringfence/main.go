// Command ringfence runs work under a lease, and shows who holds what.
package main

import (
	"os"

	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/child"
	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/cli"
)

func main() {
	child.BeInit()
	os.Exit(cli.Main(os.Args[1:]))
}
