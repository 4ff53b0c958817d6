package tableguard

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ringfence-go/ringfence/fence"
)

// Table is a table, and the lease whose fences may write to it.
type Table struct {
	// Name of the table. Its schema may stand before a dot; without one the search
	// path of the connection finds it. Case counts.
	Name string
	// Lease is the name of the lease that protects the table. Where each row has a
	// lease of its own it is a pattern: names of columns stand in braces, as in
	// "report/{id}". A brace that is meant is written twice.
	Lease string
	// Rule says which writes of a term count. Defaults to Latest.
	Rule Rule
}

// Rule says which writes are admitted. In a database a write is all that one
// transaction does to the tables of a lease.
type Rule string

// The rules.
const (
	// Latest admits every write whose token is not below the mark.
	Latest Rule = "latest"
	// Once admits the first write of each term.
	Once Rule = "once"
	// Sequenced admits the writes of a term in the order of ringfence.seq, each once;
	// ringfence.key tells a write sent again from another one.
	Sequenced Rule = "sequenced"
	// Owned admits a term that is the present one in the lease table of the same
	// database. It keeps no mark.
	Owned Rule = "owned"
)

// Rules lists the rules.
func Rules() []Rule { return []Rule{Latest, Once, Sequenced, Owned} }

// Check reports why t can't be guarded, or nil.
func (t Table) Check() error {
	if err := checkTable(t.Name); err != nil {
		return err
	}
	if !slices.Contains(Rules(), t.rule()) {
		return fmt.Errorf("%w rule %s: want once, sequenced, latest or owned", fence.ErrInvalid, fence.Quote(string(t.Rule)))
	}
	_, err := t.lease()
	return err
}

func checkTable(name string) error {
	parts := strings.Split(name, ".")
	if len(name) > 200 || !utf8.ValidString(name) || strings.ContainsRune(name, 0) || len(parts) > 2 || slices.Contains(parts, "") {
		return fmt.Errorf("%w table name %s: want NAME or SCHEMA.NAME", fence.ErrInvalid, fence.Quote(name))
	}
	return nil
}

func (t Table) rule() Rule {
	if t.Rule == "" {
		return Latest
	}
	return t.Rule
}

// pattern is the name of a lease in its parts: texts and columns by turns, beginning
// with a text, which may be empty.
type pattern []string

func (p pattern) fixed() bool { return len(p) == 1 }

func (p pattern) columns() (names []string) {
	for i := 1; i < len(p); i += 2 {
		names = append(names, p[i])
	}
	return names
}

// like is the pattern for SQL's LIKE with its usual escape.
func (p pattern) like() string {
	escape := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)
	var s strings.Builder
	for i, part := range p {
		if i%2 == 1 {
			part = "%"
		} else {
			part = escape.Replace(part)
		}
		s.WriteString(part)
	}
	return s.String()
}

// lease reads the pattern of the lease's names.
func (t Table) lease() (pattern, error) {
	bad := func(why string) (pattern, error) {
		return nil, fmt.Errorf("%w lease %s of table %s: %s", fence.ErrInvalid, fence.Quote(t.Lease), fence.Quote(t.Name), why)
	}
	p := pattern{""}
	for rest := t.Lease; rest != ""; {
		last := len(p) - 1
		switch {
		case strings.HasPrefix(rest, "{{"), strings.HasPrefix(rest, "}}"):
			p[last] += rest[:1]
			rest = rest[2:]
		case rest[0] == '}':
			return bad("a } without its {; write }} for a brace that is meant")
		case rest[0] == '{':
			column, after, ok := strings.Cut(rest[1:], "}")
			if !ok || column == "" || strings.ContainsAny(column, "{\x00") {
				return bad("want the name of a column between { and }; write {{ for a brace that is meant")
			}
			p = append(p, column, "")
			rest = after
		default:
			p[last] += rest[:1]
			rest = rest[1:]
		}
	}
	sample := strings.Join(p, "") // of a pattern: as good a name as its rows will give
	if err := fence.CheckName(sample); err != nil {
		return nil, fmt.Errorf("lease of table %s: %w", fence.Quote(t.Name), err)
	}
	return p, nil
}

func (t Table) refuse(why string) error { return refuseTable(t.Name, why) }

// refuseTable is the error of a table that can't be guarded.
func refuseTable(name, why string) error {
	return fmt.Errorf("%w table %s: %s", fence.ErrInvalid, fence.Quote(name), why)
}
