package tableguard

import (
	"fmt"
	"strings"
)

// triggers guard the table. They fire after a row was written, when its columns have
// their values; a refusal undoes the whole statement. Under a pattern there are two
// more, before a row is written: a REPLACE removes the rows that are in its way without
// telling a trigger of theirs.
func (k sqliteTable) triggers(p pattern) []trigger {
	fresh, stale := p.ofRowOfSQLite("NEW"), p.ofRowOfSQLite("OLD")
	moved := k.judge(fresh)
	if !p.fixed() {
		moved = strings.Replace(k.judge(stale), ";", fmt.Sprintf(" WHERE %s IS NOT %s;", stale, fresh), 1) + "\n\t" + moved
	}
	all := []trigger{
		k.trigger("insert", "AFTER INSERT", k.judge(fresh)),
		k.trigger("update", "AFTER UPDATE", moved),
		k.trigger("delete", "AFTER DELETE", k.judge(stale)),
	}
	if body := k.keepOthers(p, fresh); body != "" {
		all = append(all, k.trigger("before_insert", "BEFORE INSERT", body), k.trigger("before_update", "BEFORE UPDATE", body))
	}
	return all
}

func (k sqliteTable) trigger(kind, event, body string) trigger {
	name := "ringfence_guard_" + kind + "_" + k.name
	return trigger{name, fmt.Sprintf("CREATE TRIGGER %s %s ON %s\nBEGIN\n\t%s\nEND", doubled(name), event, doubled(k.name), body)}
}

// judge is the statement that judges a row, whose lease is name.
func (k sqliteTable) judge(name string) string {
	if k.table.rule() == Owned {
		return fmt.Sprintf("INSERT INTO ringfence_own SELECT %s;", name)
	}
	return fmt.Sprintf("INSERT INTO ringfence_admit SELECT %s, '%s';", name, k.table.rule())
}

// keepOthers refuses a row that has a unique key of a row of another lease. Keys may be
// equal where names are not, also with the columns of the name among them: by NOCASE, or
// as 1 and 1.0 are.
func (k sqliteTable) keepOthers(p pattern, fresh string) string {
	if p.fixed() {
		return ""
	}
	var same []string
	for _, u := range k.keys {
		parts := make([]string, len(u))
		for i, c := range u {
			parts[i] = fmt.Sprintf("other.%s = NEW.%s COLLATE %s", doubled(c.column), doubled(c.column), doubled(c.collation))
		}
		same = append(same, strings.Join(parts, " AND "))
	}
	if len(same) == 0 {
		return ""
	}
	return fmt.Sprintf("SELECT RAISE(ABORT, 'ringfence refused the write: invalid: a row of another lease has this key')\n"+
		"\tWHERE EXISTS (SELECT 1 FROM %s AS other WHERE (%s) AND %s IS NOT %s);",
		doubled(k.name), strings.Join(same, " OR "), p.ofRowOfSQLite("other"), fresh)
}

// ofRowOfSQLite is the name of a row's lease, as an expression. A column that is NULL
// makes it NULL, which is the lease of nobody.
func (p pattern) ofRowOfSQLite(row string) string {
	parts := make([]string, len(p))
	for i, part := range p {
		if i%2 == 0 {
			parts[i] = quoted(part)
		} else {
			parts[i] = row + "." + doubled(part)
		}
	}
	return strings.Join(parts, " || ")
}

// quoted is a text as SQLite writes it, which knows no escape but this one.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// doubled is a name as SQLite writes it.
func doubled(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
