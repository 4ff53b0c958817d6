package main

import (
	"strings"
	"testing"

	"github.com/ringfence-go/ringfence/internal/realserver"
)

func TestMySQLScripts(t *testing.T) { onMySQL(t, "mysql") }

func onMySQL(t *testing.T, folder string) {
	realserver.SharedMariaDB(t) // is there one at all?
	runScripts(t, folder, "mysql", func(t testing.TB, _ string) string {
		return "mysql://" + strings.NewReplacer("@tcp(", "@", ")/", "/").Replace(realserver.SharedMariaDB(t))
	})
}
