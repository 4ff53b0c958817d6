package lock_test

import (
	"testing"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/lang/ruby"
	"github.com/ringfence-go/ringfence/review/lock"
)

// TestANameIsOneCall has a site for each call of a method, whether it has arguments or
// is a name alone, and no more.
func TestANameIsOneCall(t *testing.T) {
	t.Parallel()
	file := ruby.Parse("a.rb", []byte("def take(key)\n  key\nend\n\ndef clear\n  nil\nend\n\ndef run\n  take(1)\n  clear\nend\n"))
	for _, f := range lock.NewUnit([]*ir.File{file}).Functions {
		if f.Name == "run" && len(f.Sites) != 2 {
			t.Errorf("%d sites in run", len(f.Sites))
		}
	}
}
