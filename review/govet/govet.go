// Package govet reviews Go with types: as an analyzer of go/analysis, which go vet
// and golangci-lint run, and as a loader of packages for the reviewer itself.
package govet

import (
	"os"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/lang/golang"
	"github.com/ringfence-go/ringfence/review/lock"
	"github.com/ringfence-go/ringfence/review/rule"
	"github.com/ringfence-go/ringfence/review/rules"
	"github.com/ringfence-go/ringfence/review/runner"
)

const pages = "https://github.com/ringfence-go/ringfence/blob/main/docs/review"

// Analyzer finds unsafe locks in a Go package.
var Analyzer = &analysis.Analyzer{
	Name: "ringfence",
	Doc:  "find unsafe distributed locks\n\nReports locks that are taken, held or given back so that two holders can work at once; ringfence-review rules lists the rules.",
	URL:  pages,
	Run:  run,
}

// Asked reports whether go vet has started this program.
func Asked(args []string) bool {
	for _, a := range args {
		if strings.HasPrefix(a, "-V=") || a == "-flags" || strings.HasSuffix(a, ".cfg") {
			return true
		}
	}
	return false
}

// Main speaks with go vet, and exits.
func Main() { unitchecker.Main(Analyzer) }

func run(pass *analysis.Pass) (any, error) {
	var files []*ir.File
	asks := false
	for i, f := range pass.Files {
		name := pass.Fset.PositionFor(f.Pos(), false).Filename
		src, err := pass.ReadFile(name)
		if err != nil {
			if src, err = os.ReadFile(name); err != nil {
				continue
			}
		}
		asks = asks || runner.Triggers(src)
		lowered := golang.Lower(pass.Fset, pass.Files[i], src, pass.TypesInfo)
		files = append(files, lowered)
	}
	if !asks {
		return nil, nil
	}
	u := lock.NewUnit(files)
	for _, r := range rules.All {
		for _, f := range rule.Run(r, u) {
			if f.Confidence >= rule.Likely && !runner.Suppressed(f) {
				report(pass, f)
			}
		}
	}
	return nil, nil
}

func report(pass *analysis.Pass, f rule.Finding) {
	d := analysis.Diagnostic{Category: f.Rule.Name, Message: f.Message + " [" + f.Rule.Name + "]", URL: pages + "/" + f.Rule.Name + ".md"}
	for _, file := range pass.Files {
		at := pass.Fset.File(file.Pos())
		if at == nil || at.Name() != f.File.Path || int(f.Pos) > at.Size() {
			continue
		}
		d.Pos = at.Pos(int(f.Pos))
		for _, rel := range f.Related {
			d.Related = append(d.Related, analysis.RelatedInformation{Pos: at.Pos(int(rel.Pos)), Message: rel.Text})
		}
		pass.Report(d)
		return
	}
}
