package main

import (
	"strings"
	"testing"

	"github.com/ringfence-go/ringfence/internal/realserver"
)

func TestMySQLScripts(t *testing.T) {
	realserver.SharedMariaDB(t) // is there one at all?
	runScripts(t, "mysql", "mysql", func(t testing.TB, _ string) string {
		return "mysql://" + strings.NewReplacer("@tcp(", "@", ")/", "/").Replace(realserver.SharedMariaDB(t))
	})
}
