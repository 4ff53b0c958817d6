// Package govet reviews Go with types: as an analyzer of go/analysis, which go vet
// and golangci-lint run, and as a loader of packages for the reviewer itself.
package govet

import (
	"os"
	"path/filepath"
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
	Name:      "ringfence",
	Doc:       "find unsafe distributed locks\n\nReports locks that are taken, held or given back so that two holders can work at once; ringfence-review rules lists the rules.",
	URL:       pages,
	Run:       run,
	FactTypes: []analysis.Fact{new(outline)},
}

// outline is what the packages that import one need to know of it.
type outline struct{ lock.Outline }

func (*outline) AFact() {}

func (o *outline) String() string { return "what " + o.Path + " does with locks" }

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
	if !reviewed(pass) {
		return nil, nil
	}
	known := map[string]*lock.Outline{}
	for _, f := range pass.AllPackageFacts() {
		if o, ok := f.Fact.(*outline); ok {
			known[o.Path] = &o.Outline
		}
	}
	u := lock.NewUnitAmong(lower(pass), known)
	if o := u.Outline(pass.Pkg.Path()); len(o.Deeds) > 0 {
		pass.ExportPackageFact(&outline{*o})
	}
	for _, r := range rules.All {
		for _, f := range rule.Run(r, u) {
			if f.Confidence >= rule.Likely && !runner.Suppressed(f) {
				report(pass, f)
			}
		}
	}
	return nil, nil
}

// reviewed reports whether a package belongs to the code under review, not to what
// was downloaded for it, nor to the standard library.
func reviewed(pass *analysis.Pass) bool {
	if pass.Module != nil && pass.Module.Path != "" { // golangci-lint puts the standard library into a module without a name
		return pass.Module.Version == ""
	}
	if len(pass.Files) == 0 {
		return false
	}
	dir := filepath.ToSlash(filepath.Dir(pass.Fset.PositionFor(pass.Files[0].Pos(), false).Filename))
	first, _, _ := strings.Cut(pass.Pkg.Path(), "/")
	return strings.Contains(first, ".") || !strings.HasSuffix(dir, "/src/"+pass.Pkg.Path())
}

func lower(pass *analysis.Pass) (files []*ir.File) {
	for _, f := range pass.Files {
		name := pass.Fset.PositionFor(f.Pos(), false).Filename
		src, err := pass.ReadFile(name)
		if err != nil {
			if src, err = os.ReadFile(name); err != nil {
				continue
			}
		}
		files = append(files, golang.Lower(pass.Fset, f, src, pass.TypesInfo))
	}
	return files
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
