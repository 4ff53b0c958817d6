// Package golangci is the reviewer as a module plugin of golangci-lint:
//
//	# .custom-gcl.yml
//	version: v2.5.0
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
package golangci

import (
	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/ringfence-go/ringfence/review/govet"
)

func init() { register.Plugin("ringfence", New) }

// New makes the plugin. It has no settings.
func New(any) (register.LinterPlugin, error) { return plugin{}, nil }

type plugin struct{}

func (plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	return []*analysis.Analyzer{govet.Analyzer}, nil
}

func (plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
