package sqljournal

import (
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/journal"
)

// Dialect is the kind of a database. Its zero value is none and is refused.
type Dialect uint8

const (
	// Postgres is PostgreSQL 12 or later.
	Postgres Dialect = iota + 1
	// SQLite is SQLite 3.42 or later. Open it with a busy timeout.
	SQLite
	// MySQL is MySQL 8.0 or later, or MariaDB 10.2 or later.
	MySQL
)

var folders = [...]string{"undefined", "postgres", "sqlite", "mysql"}

func (d Dialect) String() string {
	if d.check() != nil {
		return folders[0]
	}
	return folders[d]
}

func (d Dialect) check() error {
	if d < Postgres || d > MySQL {
		return fmt.Errorf("%w dialect %d: want sqljournal.Postgres, sqljournal.SQLite or sqljournal.MySQL", fence.ErrInvalid, uint8(d))
	}
	return nil
}

// Schema is what makes the table.
func Schema(d Dialect) string { return d.sql("setup") }

//go:embed postgres sqlite mysql
var files embed.FS

func (d Dialect) sql(name string) string {
	text, err := files.ReadFile(d.String() + "/" + name + ".sql")
	if err != nil {
		return "" // of an undefined dialect
	}
	return string(text)
}

// statement is the statement in the file of that name, and what the driver takes as
// its arguments. For MySQL they are written into it, texts as hexadecimal digits that
// no mode and no character set can change: one with parameters takes two round trips.
func (d Dialect) statement(name string, args ...any) (string, []any) {
	if d != MySQL {
		return d.sql(name), args
	}
	pairs := make([]string, 0, 2*len(args))
	for i, a := range args {
		pairs = append(pairs, "$"+strconv.Itoa(i+1), literal(a))
	}
	return strings.NewReplacer(pairs...).Replace(d.sql(name)), nil
}

// rows is a part of a statement.
type rows string

func literal(arg any) string {
	switch a := arg.(type) {
	case string:
		return "x'" + hex.EncodeToString([]byte(a)) + "'"
	case rows:
		return string(a)
	}
	return fmt.Sprint(arg) // a number
}

// row is an event as the statements take it. Times are microseconds, counted from
// the moment of the statement.
type row struct {
	Ago      int64       `json:"ago"`
	Kind     string      `json:"kind"`
	Name     string      `json:"name"`
	Token    json.Number `json:"token"`
	Span     *int64      `json:"span"`
	Holder   string      `json:"holder"`
	Cause    string      `json:"cause"`
	Resource string      `json:"resource"`
	By       string      `json:"by_whom"`
	Detail   string      `json:"detail"`
	Lost     int         `json:"lost"`
	ID       string      `json:"id"`
}

func rowOf(e journal.Event, now time.Time) row {
	r := row{
		Ago: now.Sub(e.At).Microseconds(), Kind: string(e.Kind), Name: e.Name, Token: json.Number(e.Token.String()), Holder: e.Holder,
		Cause: e.Cause, Resource: e.Resource, By: e.By, Detail: e.Detail, Lost: e.Lost, ID: e.ID,
	}
	if !e.Until.IsZero() {
		span := e.Until.Sub(e.At).Microseconds()
		r.Span = &span
	}
	return r
}

// arguments are the events as the append statement takes them.
func (d Dialect) arguments(events []journal.Event) []any {
	now := time.Now()
	all := make([]row, len(events))
	for i, e := range events {
		all[i] = rowOf(e, now)
	}
	switch d {
	case Postgres:
		return arrays(all)
	case MySQL:
		return []any{values(all)}
	}
	text, _ := json.Marshal(all) // numbers and checked texts
	return []any{string(text)}
}

// arrays is one array a field, in the order of the statement's parameters, as text: a
// form that every driver sends.
func arrays(all []row) []any {
	var fields [12]strings.Builder
	for i, r := range all {
		span := "NULL"
		if r.Span != nil {
			span = strconv.FormatInt(*r.Span, 10)
		}
		for n, value := range [...]string{
			strconv.FormatInt(r.Ago, 10), span, quoted(r.Kind), quoted(r.Name), string(r.Token), quoted(r.Holder), quoted(r.Cause),
			quoted(r.Resource), quoted(r.By), quoted(r.Detail), strconv.Itoa(r.Lost), quoted(r.ID),
		} {
			separator := byte(',')
			if i == 0 {
				separator = '{'
			}
			fields[n].WriteByte(separator)
			fields[n].WriteString(value)
		}
	}
	args := make([]any, len(fields))
	for n := range fields {
		args[n] = fields[n].String() + "}"
	}
	return args
}

var escapes = strings.NewReplacer(`"`, `\"`, `\`, `\\`)

// quoted is a text as an element of an array.
func quoted(s string) string {
	if strings.ContainsAny(s, `"\`) {
		s = escapes.Replace(s)
	}
	return `"` + s + `"`
}

// mysqlNow is the server's clock in microseconds since 1970, one moment in the whole
// statement.
const mysqlNow = "TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6))"

// values is the events as a list of rows.
func values(all []row) rows {
	var b strings.Builder
	for i, r := range all {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "(%s - %d, ", mysqlNow, r.Ago)
		if r.Span == nil {
			b.WriteString("NULL")
		} else {
			fmt.Fprintf(&b, "%s + %d", mysqlNow, *r.Span-r.Ago)
		}
		for _, value := range []any{r.Kind, r.Name, r.Token, r.Holder, r.Cause, r.Resource, r.By, r.Detail, r.Lost, r.ID} {
			b.WriteString(", " + literal(value))
		}
		b.WriteString(")")
	}
	return rows(b.String())
}
