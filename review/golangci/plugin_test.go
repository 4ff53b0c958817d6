package golangci

import (
	"testing"

	"github.com/golangci/plugin-module-register/register"
)

func TestPlugin(t *testing.T) {
	t.Parallel()
	make, err := register.GetPlugin("ringfence")
	if err != nil {
		t.Fatal(err)
	}
	p, err := make(nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := p.BuildAnalyzers()
	if err != nil || len(list) != 1 || list[0].Name != "ringfence" || p.GetLoadMode() != register.LoadModeTypesInfo {
		t.Errorf("got %v, %v, %s", list, err, p.GetLoadMode())
	}
}
