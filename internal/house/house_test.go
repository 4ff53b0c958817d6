package house

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestHouseRules(t *testing.T) {
	t.Parallel()
	root := os.DirFS("../..")
	if n := len(sources(root)); n < 50 {
		t.Fatalf("found %d files: this is not the checkout", n)
	}
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			for _, fault := range r.check(root) {
				t.Error(fault)
			}
			if t.Failed() {
				t.Logf("the reason for this rule: %s", r.why)
			}
		})
	}
}

func TestEveryRuleHasAReason(t *testing.T) {
	t.Parallel()
	for _, r := range rules {
		if r.why == "" {
			t.Errorf("rule %q has no reason", r.name)
		}
	}
	for _, d := range directions {
		if d.why == "" {
			t.Errorf("the direction of %s has no reason", d.of)
		}
	}
}

// clean is a small tree that breaks no rule; the examples below change it.
func clean() fstest.MapFS {
	return tree(map[string]string{
		"go.mod":                      "module " + modulePath + "\n\ngo 1.26.0\n",
		"go.work":                     "go 1.26.0\n\nuse (\n\t.\n\t./cmd/ringfence\n)\n",
		"lease.go":                    goFile("ringfence", "time", "driver", "fence"),
		"lease_test.go":               goFile("ringfence", "testing", "store/memstore"),
		"fence/fence.go":              goFile("fence", "fmt"),
		"driver/driver.go":            goFile("driver", "fence"),
		"guard/guard.go":              goFile("guard", "fence"),
		"store/memstore/store.go":     goFile("memstore", "driver", "store/memstore/internal/heap"),
		"store/storetest/suite.go":    goFile("storetest", "testing", "driver"),
		"store/sqlstore/get.sql":      "-- Reads a record.\nSELECT 1\n",
		"cmd/ringfence/go.mod":        "module " + modulePath + "/cmd/ringfence\n\nreplace " + modulePath + " => ../..\n",
		"cmd/ringfence/main.go":       goFile("main", "github.com/spf13/cobra", "store/memstore", "."),
		"internal/tools/go.mod":       "module " + modulePath + "/internal/tools\n",
		"internal/realserver/find.go": goFile("realserver", "testing"),
		"bin/old.go":                  goFile("util"),
		"fence/testdata/x.go":         goFile("util"),
	})
}

type breach struct{ rule, file, text, objects string }

// breaches are changes of the clean tree, each with the rule that must object
// and words of what it must say.
var breaches = []breach{
	{"directions", "fence/x.go", goFile("fence", "driver"), "fence must not import driver"},
	{"directions", "driver/x.go", goFile("driver", "."), "driver must not import ."},
	{"directions", "guard/x.go", goFile("guard", "driver"), "guard must not import driver"},
	{"directions", "x.go", goFile("ringfence", "store/memstore"), ". must not import store/memstore"},
	{"directions", "x.go", goFile("ringfence", "guard"), ". must not import guard"},
	{"directions", "x_windows.go", goFile("ringfence", "internal/realserver"), ". must not import internal/realserver"},
	{"directions", "store/memstore/x.go", goFile("memstore", "store/sqlstore"), "store/memstore must not import store/sqlstore"},
	{"directions", "store/memstore/x.go", goFile("memstore", "."), "store/memstore must not import ."},
	{"directions", "store/memstore/internal/heap/x.go", goFile("heap", "guard"), "store/memstore must not import guard"},
	{"directions", "store/memstore/x.go", goFile("memstore", "store/sqlstore/internal/row"), "must not import store/sqlstore/internal/row"},
	{"directions", "store/internal/stamp/x.go", goFile("stamp", "store/memstore"), "store must not import store/memstore"},
	{"directions", "store/pgxstore/x.go", goFile("pgxstore", "store/sqlstore", "store/redisstore"), "store/pgxstore must not import store/redisstore"},
	{"directions", "store/s3store/x.go", goFile("s3store", "store/casstore", "store/gcsstore"), "store/s3store must not import store/gcsstore"},
	{"directions", "store/gcsstore/x.go", goFile("gcsstore", "internal/gcs", "guard/casguard"), "must not import guard/casguard"},
	{"directions", "store/storetest/x.go", goFile("storetest", "store/memstore"), "store/storetest must not import store/memstore"},
	{"directions", "store/storetest/broken/x.go", goFile("broken", "store/sqlstore"), "must not import store/sqlstore"},
	{"directions", "guard/sqlguard/x.go", goFile("sqlguard", "driver"), "guard/sqlguard must not import driver"},
	{"directions", "guard/s3guard/x.go", goFile("s3guard", "guard/casguard", "store/casstore"), "must not import store/casstore"},
	{"directions", "guard/gcsguard/x.go", goFile("gcsguard", "internal/gcs", "store/gcsstore"), "must not import store/gcsstore"},
	{"directions", "observe/x.go", goFile("observe", "driver"), "observe must not import driver"},
	{"directions", "observe/promobserver/x.go", goFile("promobserver", ".", "guard"), "observe/promobserver must not import guard"},
	{"directions", "election/x.go", goFile("election", ".", "store/memstore"), "election must not import store/memstore"},
	{"directions", "kindtest/x.go", goFile("kindtest", ".", "store/memstore"), "kindtest must not import store/memstore"},
	{"directions", "ringfencetest/x.go", goFile("ringfencetest", "store/memstore", "store/sqlstore"), "ringfencetest must not import store/sqlstore"},
	{"directions", "store/natsstore/natsjournal/x.go", goFile("natsjournal", "store/natsstore"), "must not import store/natsstore"},
	{"directions", "store/redisstore/redisjournal/x.go", goFile("redisjournal", "store/redisstore"), "must not import store/redisstore"},
	{"directions", "guard/fileguard/x.go", goFile("fileguard", "internal/filelock", "journal"), "guard/fileguard must not import journal"},
	{"directions", "journal/x.go", goFile("journal", "."), "journal must not import ."},
	{"directions", "journal/witness/x.go", goFile("witness", ".", "journal", "journal/sqljournal"), "must not import journal/sqljournal"},
	{"directions", "journal/history/x.go", goFile("history", "journal", "journal/filejournal"), "must not import journal/filejournal"},
	{"directions", "journal/journaltest/x.go", goFile("journaltest", "journal/filejournal"), "must not import journal/filejournal"},
	{"directions", "journal/bundle/x.go", goFile("bundle", "journal", "journal/sqljournal"), "must not import journal/sqljournal"},
	{"directions", "journal/filejournal/x.go", goFile("filejournal", "internal/filelock", "journal/sqljournal"), "must not import journal/sqljournal"},
	{"directions", "journal/sqljournal/x.go", goFile("sqljournal", "journal", "store/sqlstore"), "must not import store/sqlstore"},
	{"directions", "internal/filelock/x.go", goFile("filelock", "fence"), "internal/filelock must not import fence"},
	{"directions", "internal/gcs/x.go", goFile("gcs", "fence"), "internal/gcs must not import fence"},
	{"directions", "internal/gcstest/x.go", goFile("gcstest", "internal/gcs"), "internal/gcstest must not import internal/gcs"},
	{"directions", "guard/guardtest/x.go", goFile("guardtest", "guard/sqlguard"), "must not import guard/sqlguard"},
	{"directions", "guard/guardtest/broken/x.go", goFile("broken", "driver"), "must not import driver"},
	{"directions", "internal/recorder/x.go", goFile("recorder", "fence"), "internal/recorder must not import fence"},
	{"directions", "internal/realserver/x.go", goFile("realserver", "fence"), "internal/realserver must not import fence"},
	{"directions", "internal/house/x.go", goFile("house", "fence"), "internal/house must not import fence"},
	{"directions", "cmd/ringfence/x.go", goFile("main", "internal/realserver"), "must not import internal/realserver"},
	{"directions", "cmd/ringfence/internal/cli/x.go", goFile("cli", "store/storetest"), "must not import store/storetest"},
	{"directions", "internal/e2e/x.go", goFile("e2e", "cmd/ringfence"), "must not import cmd/ringfence"},
	{"directions", "internal/e2e/bench/x.go", goFile("main", "internal/house"), "must not import internal/house"},
	{"directions", "review/ir/x.go", goFile("ir", "fence"), "review/ir must not import fence"},
	{"directions", "review/query/x.go", goFile("query", "review/ir"), "review/query must not import review/ir"},
	{"directions", "review/lang/syntax/x.go", goFile("syntax", "review/lang/lua"), "must not import review/lang/lua"},
	{"directions", "review/lang/ruby/x.go", goFile("ruby", "review/lock"), "review/lang/ruby must not import review/lock"},
	{"directions", "review/lang/x.go", goFile("lang", "review/lock"), "review/lang must not import review/lock"},
	{"directions", "review/lock/x.go", goFile("lock", "review/rule"), "review/lock must not import review/rule"},
	{"directions", "review/rule/x.go", goFile("rule", "review/runner"), "review/rule must not import review/runner"},
	{"directions", "review/rules/x.go", goFile("rules", "review/runner"), "review/rules must not import review/runner"},
	{"directions", "review/rules/failopen/x.go", goFile("failopen", "review/rules/unitslip"), "must not import review/rules/unitslip"},
	{"directions", "review/runner/x.go", goFile("runner", "review/rules"), "review/runner must not import review/rules"},
	{"directions", "review/report/x.go", goFile("report", "review/rules"), "review/report must not import review/rules"},
	{"directions", "review/govet/x.go", goFile("govet", "review/report"), "review/govet must not import review/report"},
	{"directions", "review/golangci/x.go", goFile("golangci", "review/runner"), "must not import review/runner"},
	{"directions", "review/cmd/ringfence-review/x.go", goFile("main", "driver"), "must not import driver"},
	{"directions", "review/x.go", goFile("review"), "package review has no direction yet"},
	{"root on the standard library", "go.mod", "module x\n\nrequire github.com/a/b v1.0.0\n", "must require nothing"},
	{"root on the standard library", "fence/x_test.go", goFile("fence", "github.com/a/b"), "imports github.com/a/b"},
	{"testing only in tests", "fence/x.go", goFile("fence", "testing"), "imports testing outside"},
	{"testing only in tests", "cmd/ringfence/x.go", goFile("main", "testing/fstest"), "imports testing/fstest outside"},
	{"modules in the workspace", "effect/go.mod", "module " + modulePath + "/effect\n", "does not use ./effect"},
	{"modules in the workspace", "go.work", "go 1.26.0\n\nuse ./cmd/ringfence\n", "does not use ."},
	{"modules replace the root", "cmd/ringfence/go.mod", "module " + modulePath + "/cmd/ringfence\n", `lacks "replace`},
	{"modules replace the root", "a/b/c/go.mod", "module x\n\nreplace " + modulePath + " => ../..\n", "=> ../../.."},
	{"package names", "fence/util/x.go", goFile("util"), "package util"},
	{"package names", "fence/types/x.go", goFile("types"), "package types"},
	{"package names", "fence/help/x_test.go", goFile("helpers_test"), "package helpers"},
	{"package names", "fence/common/x.go", goFile("common"), "package common"},
	{"file length", "fence/x.go", "package fence\n" + strings.Repeat("\n", maxLines), "has 451 lines"},
	{"no sleeping in tests", "fence/x_test.go", "package fence\n\nimport \"time\"\n\nfunc f() { time.Sleep(1) }\n", "sleeps in real time"},
	{"no sleeping in tests", "fence/x_test.go", "package fence\n\nimport clock \"time\"\n\nvar nap = clock.Sleep\n", "sleeps in real time"},
	{"no sleeping in tests", "cmd/ringfence/internal/child/helper_test.go", "package child\n", "no longer sleeps"},
	{"SQL and Lua say what they are for", "store/sqlstore/x.sql", "SELECT 1 -- reads a record\n", "must be a comment"},
	{"links lead somewhere", "docs/x.md", "[more](y.md#part), [out](https://go.dev/x)\n", "y.md#part leads nowhere"},
	{"named tests are there", "docs/x.md", "Kept: `TestGone/part`.\n", "there is no test TestGone"},
	{"named tests are there", "docs/x.md", "`G99_never`\n", "there is no test G99_never"},
	{"named tests are there", "docs/x.md", "| promise | test |\n|---|---|\n| kept | later |\n", "no test is named for | kept | later |"},
	{"SQL and Lua say what they are for", "store/redisstore/lua/x.lua", "return 1 -- reads a record\n", "must be a comment"},
}

func TestCleanTreeBreaksNoRule(t *testing.T) {
	t.Parallel()
	for _, r := range rules {
		if faults := r.check(clean()); len(faults) > 0 {
			t.Errorf("%s: %q", r.name, faults)
		}
	}
}

func TestVirtualSleepIsAllowed(t *testing.T) {
	t.Parallel()
	fsys := clean()
	fsys["fence/x_test.go"] = &fstest.MapFile{Data: []byte(
		"package fence\n\nimport (\n\t_ \"testing/synctest\"\n\t\"time\"\n)\n\nfunc f() { time.Sleep(1) }\n")}
	if faults := checkSleep(fsys); len(faults) > 0 {
		t.Errorf("got %q", faults)
	}
}

func TestEveryRuleBites(t *testing.T) {
	t.Parallel()
	bitten := make(map[string]bool)
	for _, b := range breaches {
		fsys := clean()
		fsys[b.file] = &fstest.MapFile{Data: []byte(b.text)}
		i := slices.IndexFunc(rules, func(r rule) bool { return r.name == b.rule })
		if i < 0 {
			t.Errorf("there is no rule %q", b.rule)
			continue
		}
		bitten[b.rule] = true
		faults := rules[i].check(fsys)
		if !slices.ContainsFunc(faults, func(f string) bool { return strings.Contains(f, b.file) || strings.Contains(f, "go.work") }) ||
			!strings.Contains(strings.Join(faults, "\n"), b.objects) {
			t.Errorf("%s in %s: got %q, want a fault with %q", b.rule, b.file, faults, b.objects)
		}
	}
	for _, r := range rules {
		if !bitten[r.name] {
			t.Errorf("no example breaks the rule %q", r.name)
		}
	}
}

func TestEveryDirectionBites(t *testing.T) {
	t.Parallel()
	for _, d := range directions {
		if !slices.ContainsFunc(breaches, func(b breach) bool {
			s := source{path: b.file}
			return b.rule == "directions" && matches(d.of, owner(s.dir()))
		}) {
			t.Errorf("no example breaks the direction of %s", d.of)
		}
	}
}

func tree(files map[string]string) fstest.MapFS {
	fsys := make(fstest.MapFS, len(files))
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

// goFile writes a file of the package that imports the given paths; one that
// names a package of ours does so from the root.
func goFile(pkg string, imports ...string) string {
	text := "package " + pkg + "\n"
	for _, imported := range imports {
		if first, _, _ := strings.Cut(imported, "/"); imported == "." {
			imported = modulePath
		} else if slices.Contains([]string{"fence", "driver", "guard", "store", "internal", "cmd", "review", "observe", "journal"}, first) {
			imported = modulePath + "/" + imported
		}
		text += "\nimport _ \"" + imported + "\"\n"
	}
	return text
}
