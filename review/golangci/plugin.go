// Package golangci is the reviewer as a module plugin of golangci-lint:
//
//	# .custom-gcl.yml
//	version: v2.15.0
//	plugins:
//	  - module: github.com/ringfence-go/ringfence/review
//	    import: github.com/ringfence-go/ringfence/review/golangci
//
//	# .golangci.yml
//	linters:
//	  enable: [ringfence]
//	  settings:
//	    custom:
//	      ringfence:
//	        type: module
//	issues:
//	  uniq-by-line: false # a line may break two rules
package golangci

import (
	"fmt"
	"strings"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/ringfence-go/ringfence/review/govet"
)

func init() { register.Plugin("ringfence", New) }

// New makes the plugin. It has no settings.
func New(any) (register.LinterPlugin, error) { return plugin{}, nil }

type plugin struct{}

func (plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	a := *govet.Analyzer
	a.Run = run
	return []*analysis.Analyzer{&a}, nil
}

func (plugin) GetLoadMode() string { return register.LoadModeTypesInfo }

// run puts what belongs to a finding into its text: golangci-lint would make an issue
// of its own of each related place.
func run(pass *analysis.Pass) (any, error) {
	p := *pass
	p.Report = func(d analysis.Diagnostic) {
		var b strings.Builder
		for _, rel := range d.Related {
			fmt.Fprintf(&b, "; line %d: %s", pass.Fset.Position(rel.Pos).Line, rel.Message)
		}
		rule := " [" + d.Category + "]"
		d.Message, d.Related = strings.TrimSuffix(d.Message, rule)+b.String()+rule, nil
		pass.Report(d)
	}
	return govet.Analyzer.Run(&p)
}
