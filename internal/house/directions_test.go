package house

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

const modulePath = "github.com/ringfence-go/ringfence"

// direction says which packages of ours the code of a package may import, tests
// aside. Both sides are patterns of path.Match, relative to the root; the root
// package itself is ".". A package counts with everything below its internal
// folder, which it may always import.
type direction struct {
	of  string
	may []string
	why string
}

// directions are searched from the top; the first that matches counts.
var directions = []direction{
	{"fence", nil,
		"a destination that checks a fence needs this package and nothing else"},
	{"driver", []string{"fence"},
		"the contract of stores must not depend on what users hold or on any one store"},
	{"guard", []string{"fence", "guard"},
		"a guard stands at the resource, where no lease store is known"},
	{".", []string{"driver", "fence"},
		"a user of one store must not link another, and a lease works without a guard"},
	{"store/storetest/broken", []string{"driver", "fence", "store/memstore", "store/storetest"},
		"its wrong stores are the reference store with one thing broken"},
	{"store/storetest", []string{"driver", "fence", "internal/recorder"},
		"outside authors run the suite, so it must know no store"},
	{"store/s3store", []string{"driver", "fence", "store/casstore"},
		"all but the requests is the same on every place with conditional writes"},
	{"store/gcsstore", []string{"driver", "fence", "store/casstore", "internal/gcs"},
		"all but the requests is the same on every place with conditional writes, and its guard sends the same ones"},
	{"store/pgxstore", []string{"driver", "fence", "store/sqlstore"},
		"clients of both kinds meet in one database, so they share its tables and its statements"},
	{"store/redisstore/redisjournal", []string{"driver", "fence", "journal"},
		"a journal is written against the contract alone, wherever it is kept"},
	{"store/natsstore/natsjournal", []string{"driver", "fence", "journal", "journal/bundle"},
		"a journal is written against the contract alone, wherever it is kept"},
	{"store/*store", []string{"driver", "fence", "store/internal/*"},
		"a store is written against the contract alone, so that every store can be replaced by another"},
	{"store", []string{"driver", "fence"},
		"what several stores are made of knows none of them"},
	{"guard/guardtest/broken", []string{"fence", "guard", "guard/guardtest"},
		"its wrong guards are built on the decision that the right ones share"},
	{"guard/guardtest", []string{"fence", "guard", "internal/recorder"},
		"users run the suite on their own write path, so it must know no guard"},
	{"guard/s3guard", []string{"fence", "guard", "guard/casguard"},
		"all but the requests is the same on every place with conditional writes"},
	{"guard/gcsguard", []string{"fence", "guard", "guard/casguard", "internal/gcs"},
		"all but the requests is the same on every place with conditional writes, and its store sends the same ones"},
	{"guard/fileguard", []string{"fence", "guard", "internal/filelock"},
		"a destination must not depend on where leases come from"},
	{"guard/*guard", []string{"fence", "guard", "guard/internal/*"},
		"a destination must not depend on where leases come from"},
	{"journal", []string{"fence", "driver"},
		"whoever records events links no store and no way to hold a lease"},
	{"journal/witness", []string{".", "fence", "journal"},
		"only here does a journal meet what users hold"},
	{"journal/history", []string{"driver", "fence", "journal"},
		"what a record says must not depend on where it was kept"},
	{"journal/journaltest", []string{"driver", "fence", "journal"},
		"outside authors run the suite, so it must know no journal"},
	{"journal/filejournal", []string{"driver", "fence", "journal", "internal/filelock"},
		"a journal is written against the contract alone"},
	{"journal/bundle", []string{"fence", "journal"},
		"it is what journals that keep a batch as one value have in common"},
	{"journal/*journal", []string{"driver", "fence", "journal", "journal/bundle"},
		"a journal is written against the contract alone"},
	{"internal/filelock", nil,
		"a guard and a journal lock files by it, and neither may lead to the other"},
	{"observe", []string{".", "fence"},
		"it is told what happens, and asks nobody"},
	{"observe/*observer", []string{".", "fence"},
		"it is told what happens, and asks nobody"},
	{"election", []string{".", "driver", "fence", "guard"},
		"a leader is a lease with a term, on any store, that writes to any guard"},
	{"kindtest", []string{".", "driver", "fence", "internal/recorder"},
		"outside authors run the suite, so it must know no store"},
	{"ringfencetest", []string{".", "driver", "fence", "guard", "store/memstore"},
		"users' tests must not link a real store, and nothing but tests links this"},
	{"internal/gcs", nil,
		"a store and a guard send its requests, and neither may lead to the other"},
	{"internal/gcstest", nil,
		"tests of a store and of a guard start it"},
	{"internal/house", nil,
		"it reads the code as text"},
	{"internal/recorder", nil,
		"both suites stand on it, and neither may lead to the other"},
	{"internal/realserver", nil,
		"tests of every package use it, also of those that everything else imports"},
	{"review/ir", nil,
		"it is what every other part of the reviewer has in common"},
	{"review/query", nil,
		"it reads SQL wherever that stands"},
	{"review/lang/syntax", []string{"review/ir"},
		"it is the same for all languages"},
	{"review/lang/*", []string{"review/ir", "review/lang/syntax"},
		"a front-end knows its language and no rule"},
	{"review/lang", []string{"review/ir", "review/lang/*"},
		"it only chooses a front-end"},
	{"review/lock", []string{"review/ir", "review/query", "review/lang/lua"},
		"the model is built on what front-ends say, and on the scripts and statements in a program's strings"},
	{"review/rule", []string{"review/ir", "review/lock"},
		"a rule sees the model, never what runs it"},
	{"review/rules", []string{"review/rule", "review/rules/*"},
		"it only lists the rules"},
	{"review/rules/*", []string{"review/ir", "review/lock", "review/rule"},
		"a rule sees the model, never what runs it, and no other rule"},
	{"review/runner", []string{"review/ir", "review/lang", "review/lock", "review/rule"},
		"which rules there are is said by whoever starts it"},
	{"review/report", []string{"review/rule", "review/runner"},
		"it writes what was found and decides nothing"},
	{"review/govet", []string{"review/ir", "review/lang/golang", "review/lock", "review/rule", "review/rules", "review/runner"},
		"only here is go/types known to the reviewer"},
	{"review/golangci", []string{"review/govet"},
		"it only registers the analyzer"},
	{"review/cmd/ringfence-review", []string{"review/govet", "review/report", "review/rule", "review/rules", "review/runner"},
		"the reviewer stands alone: it links nothing that holds a lease"},
	{"cmd/ringfence", []string{".", "driver", "election", "fence", "guard", "guard/*guard", "journal", "journal/*", "store/*store", "store/*store/*journal"},
		"it is the only importer of every store; suites and test servers have no place in a program"},
	{"internal/e2e", []string{".", "driver", "fence", "guard", "guard/*", "journal", "journal/*", "store/*", "internal/realserver"},
		"it tests and measures all of them together"},
	{"internal/e2e/*", []string{".", "driver", "fence", "guard", "guard/*", "journal", "journal/*", "store/*", "internal/realserver", "internal/e2e", "internal/e2e/*"},
		"it tests and measures all of them together"},
}

// checkDirections reports every import that no direction allows.
func checkDirections(fsys fs.FS) (faults []string) {
	for _, s := range sources(fsys) {
		if s.isGo() && !s.isTest() {
			faults = append(faults, s.checkDirections()...)
		}
	}
	return faults
}

func (s source) checkDirections() (faults []string) {
	from := owner(s.dir())
	i := slices.IndexFunc(directions, func(d direction) bool { return matches(d.of, from) })
	if i < 0 {
		return []string{fmt.Sprintf("%s: package %s has no direction yet: say in directions what it may import, and why", s.path, from)}
	}
	for _, imported := range s.imports() {
		to, ours := ourPackage(imported)
		if !ours || owner(to) == from && strings.Contains(to, "/internal/") {
			continue
		}
		if !slices.ContainsFunc(directions[i].may, func(pattern string) bool { return matches(pattern, to) }) {
			faults = append(faults, fmt.Sprintf("%s: %s must not import %s: %s", s.path, from, to, directions[i].why))
		}
	}
	return faults
}

// owner is the package that an internal folder belongs to; any other package
// is its own.
func owner(dir string) string {
	dir, _, _ = strings.Cut(dir, "/internal/")
	return dir
}

// ourPackage turns an import path of this project into a folder.
func ourPackage(imported string) (dir string, ours bool) {
	if imported == modulePath {
		return ".", true
	}
	return strings.CutPrefix(imported, modulePath+"/")
}

func matches(pattern, dir string) bool {
	ok, err := path.Match(pattern, dir)
	return ok && err == nil
}
