package sqlguard

import (
	"fmt"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard/internal/sqlfault"
)

// subject is what a statement was about.
type subject struct{ sqlfault.Subject }

func about(resource string, f fence.Fence) subject {
	const missing = "have sqlguard.Setup create the tables, or give the role its rights to them"
	return subject{sqlfault.Subject{Resource: resource, Fence: f, Guard: "sqlguard", Missing: missing}}
}

// broken is the answer to a failed statement of an open transaction.
func (s subject) broken(err error) (fence.Verdict, error) { return sqlfault.VerdictOf(s.Inside(err)) }

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w "+format, append([]any{fence.ErrInvalid}, args...)...)
}
