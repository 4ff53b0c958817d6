package tableguard

import (
	"fmt"
	"strings"

	"github.com/ringfence-go/ringfence/fence"
)

// The names of the triggers. Triggers of a row fire in the order of their names, so
// the one that looks at columns comes last, after whatever changes them.
const (
	statementTrigger = "ringfence_guard"
	appliedTrigger   = "ringfence_guard_applied"
	beginTrigger     = "ringfence_guard_begin"
	truncateTrigger  = "ringfence_guard_truncate"
	rowTrigger       = "zzz_ringfence_guard"
)

var allTriggers = []string{statementTrigger, appliedTrigger, beginTrigger, truncateTrigger, rowTrigger}

// relation is what the database says of a table.
type relation struct {
	name       string   // quoted, with its schema
	byOthers   bool     // its rows are written by the names of other tables too: partitions, or one that it inherits from
	partitions []string // quoted, with their schemas
	unfit      string   // why it can't be guarded
	missing    string   // columns that the lease names and it has not
	leases     bool     // the lease table is in its database
}

// script is the DDL that guards r, in place of what guarded it before.
func (t Table) script(r relation) (string, error) {
	p, err := t.lease()
	if err != nil {
		return "", err
	}
	var s strings.Builder
	s.WriteString(unguard(r))
	args := literals(append([]string{string(t.rule())}, p...))
	_, tail, _ := strings.Cut(strings.TrimPrefix(fence.Fence{Name: p[0], Token: 1}.String(), "rf1:"), ":")
	suffix := ", " + literals([]string{":" + tail})
	establishing := " WHEN (current_setting('ringfence.establish', true) = 'on')"
	switch {
	case p.fixed() && !r.byOthers:
		create(&s, r.name, statementTrigger, "INSERT OR UPDATE OR DELETE OR TRUNCATE", "STATEMENT", "", "guard_statement", args+suffix, "ALWAYS")
		// The worker that applies a publication fires triggers of rows only.
		create(&s, r.name, appliedTrigger, "INSERT OR UPDATE OR DELETE", "ROW", "", "guard_row", args, "REPLICA")
		if rule := t.rule(); rule == Once || rule == Sequenced {
			create(&s, r.name, rowTrigger, "INSERT OR UPDATE OR DELETE", "ROW", establishing, "guard_row", args, "ALWAYS")
		}
	default:
		create(&s, r.name, rowTrigger, "INSERT OR UPDATE OR DELETE", "ROW", "", "guard_row", args, "ALWAYS")
		create(&s, r.name, beginTrigger, "DELETE", "STATEMENT", establishing, "guard_begin", literals([]string{string(t.rule()), p.like()}), "ALWAYS")
		judge := "guard_truncate"
		if p.fixed() {
			judge, args = "guard_statement", args+suffix
		}
		for _, name := range append([]string{r.name}, r.partitions...) {
			create(&s, name, truncateTrigger, "TRUNCATE", "STATEMENT", "", judge, args, "ALWAYS")
		}
	}
	return s.String(), nil
}

// unguard is the DDL that takes every trigger of this package away from r.
func unguard(r relation) string {
	var s strings.Builder
	for _, trigger := range allTriggers {
		fmt.Fprintf(&s, "DROP TRIGGER IF EXISTS %s ON %s;\n", trigger, r.name)
	}
	for _, name := range r.partitions {
		fmt.Fprintf(&s, "DROP TRIGGER IF EXISTS %s ON %s;\n", truncateTrigger, name)
	}
	return s.String()
}

func create(s *strings.Builder, table, trigger, events, each, when, function, args, enable string) {
	fmt.Fprintf(s, "CREATE TRIGGER %s BEFORE %s ON %s FOR EACH %s%s EXECUTE FUNCTION ringfence.%s(%s);\n",
		trigger, events, table, each, when, function, args)
	fmt.Fprintf(s, "ALTER TABLE %s ENABLE %s TRIGGER %s;\n", table, enable, trigger)
}

// literals are texts as SQL writes them, whatever the server's settings are.
func literals(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = `E'` + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + `'`
	}
	return strings.Join(quoted, ", ")
}
