package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"hash/fnv"
	"regexp"
	"strconv"
	"strings"

	"github.com/ringfence-go/ringfence/driver"
)

// preparation is a statement that a session of MariaDB's keeps prepared, under a name. To read
// the text of a statement costs the server more than to execute it. A session keeps such names
// without a doing of the driver's, so that the pool may lend it to anybody in between.
type preparation struct {
	name    string
	prepare string
	order   []int // which argument stands in the place of each mark
}

var mark = regexp.MustCompile(`\$\d`)

// preparations are those of the statements for one call. Their names tell what they do and in
// which database, lest a session that several programs share mixes them up.
func preparations(database string, texts map[string]string) map[string]preparation {
	all := map[string]preparation{}
	for _, name := range []string{"acquire_lean", "acquire_one", "renew_one", "release_one"} {
		var p preparation
		text := mark.ReplaceAllStringFunc(texts[name], func(m string) string {
			n, _ := strconv.Atoi(m[1:]) // digits
			p.order = append(p.order, n-1)
			return "?"
		})
		sum := fnv.New64a()
		fmt.Fprintf(sum, "%s\x00%s", database, text)
		p.name = fmt.Sprintf("ringfence_%s_%x", name, sum.Sum64())
		p.prepare = "PREPARE " + p.name + " FROM '" + strings.ReplaceAll(text, "'", "''") + "'"
		all[name] = p
	}
	return all
}

// execute is the statement that executes p.
func (p preparation) execute(args []any) string {
	var b strings.Builder
	b.WriteString("EXECUTE ")
	b.WriteString(p.name)
	for i, n := range p.order {
		b.WriteString([]string{" USING ", ", "}[min(i, 1)])
		b.WriteString(literal(args[n]))
	}
	return b.String()
}

// one sends a statement for one call: by its name where the session keeps it, or may learn to. A
// session that has not learned it was hardly verified, which a grant needs.
func (s *mysqlSession) one(ctx context.Context, name string, args []any) (sql.Result, error) {
	p, ok := s.prepared[name]
	if !ok || s.unprepared.Load() {
		return s.conn.ExecContext(ctx, bind(s.texts[name], args...))
	}
	execute := p.execute(args)
	result, err := s.conn.ExecContext(ctx, execute)
	if mysqlNumber(err) != unknownStatement {
		return result, err
	}
	_, err = s.conn.ExecContext(ctx, p.prepare)
	if mysqlNumber(err) != 0 {
		if r := MySQL.judge(err); r.kind == driver.ErrUnavailable && !r.again {
			s.unprepared.Store(true) // the server keeps as many as it may, say
		}
		return s.conn.ExecContext(ctx, bind(s.texts[name], args...))
	}
	if err == nil && strings.HasPrefix(name, string(acquire)) {
		_, err = s.conn.ExecContext(ctx, s.texts["verify"])
	}
	if err != nil {
		return nil, before(MySQL.judge(err))
	}
	return s.conn.ExecContext(ctx, execute)
}
