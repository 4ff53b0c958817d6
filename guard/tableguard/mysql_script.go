package tableguard

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"

	"github.com/ringfence-go/ringfence/guard/internal/sqlfault"
)

// tablesOfMySQL are the statements that create the tables of ours.
func tablesOfMySQL() []string {
	return strings.Split(strings.TrimSuffix(strings.TrimSpace(MySQL.sql("tables")), ";"), ";\n")
}

// routine is a procedure that triggers call, or other procedures. Its version is kept as
// its comment.
type routine struct{ name, version, text string }

// routines are in an order in which each comes after those that it calls.
func routines() (all []routine) {
	for _, file := range []string{"refuse", "fence", "token", "own", "raise", "establish", "superseded", "place", "admit"} {
		text := MySQL.sql("routine/" + file)
		version := digest(text)
		text = strings.Replace(text, "SQL SECURITY DEFINER", "COMMENT '"+version+"' SQL SECURITY DEFINER", 1)
		all = append(all, routine{"ringfence_" + file, version, strings.TrimSpace(text)})
	}
	return all
}

// trigger is one of ours. Its name tells the definition, so that one that is there need
// not be made again, and a table's triggers can be replaced while the old ones stand.
type trigger struct{ name, text string }

// triggersOfMySQL guard a table of that name. They fire after a row was written, when no
// trigger changes its columns any more; a refusal undoes the whole statement.
func triggersOfMySQL(table string, t Table, p pattern) []trigger {
	fresh, stale := t.judge(table, p, "NEW"), t.judge(table, p, "OLD")
	moved := fresh
	if !p.fixed() {
		moved = fmt.Sprintf("BEGIN\n\tIF NOT %s <=> %s THEN\n%s;\n\tEND IF;\n%s;\nEND", p.ofRow("OLD"), p.ofRow("NEW"), stale, fresh)
	}
	var all []trigger
	for _, e := range []struct{ event, body string }{{"INSERT", fresh}, {"UPDATE", moved}, {"DELETE", stale}} {
		text := fmt.Sprintf("AFTER %s ON %s FOR EACH ROW\n%s", e.event, backticks(table), e.body)
		name := "ringfence_" + strings.ToLower(e.event) + "_" + digest(text)
		all = append(all, trigger{name, "CREATE TRIGGER " + name + " " + text})
	}
	return all
}

// judge is the statement that judges a row.
func (t Table) judge(table string, p pattern, row string) string {
	file := map[Rule]string{Owned: "owned", Latest: "latest"}[t.rule()]
	if file == "" {
		file = "counted"
	}
	_, body, _ := strings.Cut(strings.TrimSpace(MySQL.sql("judge/"+file)), "\n")
	return strings.NewReplacer("{name}", p.ofRow(row), "{text}", p.textOfRow(row), "{rule}", string(t.rule()), "{place}", texted(table)).Replace(body)
}

// ofRow is the name of a row's lease, as an expression. A column that is NULL makes it
// NULL, which is the lease of nobody.
func (p pattern) ofRow(row string) string {
	if p.fixed() {
		return hexed(p[0])
	}
	parts := make([]string, len(p))
	for i, part := range p {
		if i%2 == 0 {
			parts[i] = hexed(part)
		} else {
			parts[i] = fmt.Sprintf("CAST(CAST(%s.%s AS CHAR CHARACTER SET utf8mb4) AS BINARY)", row, backticks(part))
		}
	}
	return "CONCAT(" + strings.Join(parts, ", ") + ")"
}

// textOfRow is that name as a fence has it, NULL where only a call can tell: a % begins
// an escape there.
func (p pattern) textOfRow(row string) string {
	if p.fixed() {
		return hexed(url.PathEscape(p[0]))
	}
	return fmt.Sprintf("IF(LOCATE('%%', %s) = 0, %s, NULL)", p.ofRow(row), p.ofRow(row))
}

// register keeps what guards the table.
func (k mysqlTable) register() string {
	t := k.table
	return fmt.Sprintf("REPLACE INTO ringfence_guarded (name, lease, rule) VALUES (%s, %s, '%s')", hexed(k.name), hexed(t.Lease), t.rule())
}

func backticks(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// hexed is a text as bytes that no mode and no character set can change.
func hexed(s string) string { return "x'" + hex.EncodeToString([]byte(s)) + "'" }

// texted is such a text with its character set.
func texted(s string) string { return "CONVERT(" + hexed(s) + " USING utf8mb4)" }

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:12])
}

// explained adds what to do to the failures of an installation that have a known way out.
func explained(err error) error {
	switch sqlfault.MySQLNumber(err) {
	case 1419:
		return fmt.Errorf("%w; with binary logging on a trigger needs the right SUPER, or SET GLOBAL log_bin_trust_function_creators = 1", err)
	case 1044, 1142, 1227, 1370:
		return fmt.Errorf("%w; it needs CREATE, CREATE ROUTINE, ALTER ROUTINE, EXECUTE and TRIGGER on this database", err)
	case 1235:
		return fmt.Errorf("%w; this server takes one trigger for each event, and the table has one", err)
	}
	return err
}
