package bench

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/sqlguard"
	"github.com/ringfence-go/ringfence/guard/tableguard"
	"github.com/ringfence-go/ringfence/internal/realserver"
)

// BenchmarkTableGuard compares, in one run, a plain UPDATE of PostgreSQL with the same
// one guarded in each way: by a trigger for each statement or for each row, with a
// signature, and by the two shapes of package sqlguard.
func BenchmarkTableGuard(b *testing.B) {
	pg := realserver.NewPostgres(b, &realserver.PostgresOptions{Durable: true})
	f := fence.Fence{Name: "bench", Token: 1 << 40}
	w := newWays(b, pg, f)
	for _, rows := range []int{1, 100, 10_000} {
		b.Run(fmt.Sprint(rows), func(b *testing.B) { w.contest(b, 1, rows) })
	}
	b.Run("1/8", func(b *testing.B) { w.contest(b, 8, 1) })
}

// ways are the sides of the comparison; the first is plain.
type ways struct {
	db  *sql.DB
	all []way
}

type way struct {
	name string
	most int // rows that it can write in a statement
	do   func(ctx context.Context, first, rows int) error
}

const guardedRows = 10_000

func newWays(b *testing.B, pg *realserver.PG, f fence.Fence) ways {
	b.Helper()
	key, err := fence.NewKey("k1", "bench", fence.HMACSHA256)
	if err != nil {
		b.Fatal(err)
	}
	signature, err := key.Sign(fence.Claim{Fence: f, Audience: "bench", NotAfter: time.Now().Add(time.Hour)})
	if err != nil {
		b.Fatal(err)
	}
	options := "-c ringfence.fence=" + f.String() + " -c ringfence.signature=" + signature
	db := open(b, "pgx", pg.URL("postgres")+"&options="+strings.ReplaceAll(url.QueryEscape(options), "+", "%20"), 8)
	must := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	on := tableguard.On(db, tableguard.Postgres)
	tables := []string{"plain", "by_statement", "by_row", "by_columns", "signed", "by_sqlguard"}
	for _, name := range tables {
		_, err := db.ExecContext(b.Context(), fmt.Sprintf(`CREATE TABLE %s (id bigint PRIMARY KEY, n bigint NOT NULL DEFAULT 0, lease text NOT NULL DEFAULT 'bench',
			body text NOT NULL DEFAULT repeat('x', 100), fence bigint NOT NULL DEFAULT 0) WITH (fillfactor = 50);
			INSERT INTO %s (id) SELECT generate_series(0, %d)`, name, name, guardedRows-1))
		must(err)
	}
	for name, lease := range map[string]string{"by_statement": "bench", "signed": "bench", "by_columns": "{lease}"} {
		must(on.Install(b.Context(), tableguard.Table{Name: name, Lease: lease}))
	}
	must(on.Trust(b.Context(), "bench", key))
	must(on.RequireSigned(b.Context(), tableguard.Signed{Table: "signed"}))
	must(sqlguard.Setup(b.Context(), db, sqlguard.Postgres))
	_, err = db.ExecContext(b.Context(), `CREATE TRIGGER r BEFORE UPDATE ON by_row FOR EACH ROW EXECUTE FUNCTION ringfence.guard_row('latest', 'bench')`)
	must(err)
	_, err = on.Establish(b.Context(), f)
	must(err)
	return ways{db, sides(db, f)}
}

func sides(db *sql.DB, f fence.Fence) []way {
	const update = "UPDATE %s SET n = n + 1 WHERE id >= $1 AND id < $2"
	of := func(table string) func(context.Context, int, int) error {
		statement := fmt.Sprintf(update, table)
		return func(ctx context.Context, first, rows int) error {
			_, err := db.ExecContext(ctx, statement, first, first+rows)
			return err
		}
	}
	shape := sqlguard.On(db, sqlguard.Postgres)
	column := sqlguard.Column{Dialect: sqlguard.Postgres, Table: "by_sqlguard", ID: "id", Fence: "fence", Lease: f.Name, Rule: guard.Latest}
	inTx := func(ctx context.Context, first, rows int) error {
		return sqlguard.InTx(ctx, shape, f, fmt.Sprint("report/", first), func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, fmt.Sprintf(update, "by_sqlguard"), first, first+rows)
			return err
		})
	}
	return []way{
		{"plain `UPDATE`", guardedRows, of("plain")},
		{"guarded table, a fixed name: once a statement (default)", guardedRows, of("by_statement")},
		{"the same, once a row", guardedRows, of("by_row")},
		{"guarded table, a pattern: once a row", guardedRows, of("by_columns")},
		{"guarded table, a fixed name, signed", guardedRows, of("signed")},
		{"`sqlguard`, fence column", 1, func(ctx context.Context, first, _ int) error {
			_, err := column.Update(ctx, db, f, first, "n = n + 1")
			return err
		}},
		{"`sqlguard`, mark: a transaction of four round trips", guardedRows, inTx},
	}
}

// contest runs all ways in turns, and notes each as a ratio of the plain one.
func (w ways) contest(b *testing.B, callers, rows int) {
	b.Helper()
	for b.Loop() {
		samples, rates, busy := make([]sample, len(w.all)), make([][]float64, len(w.all)), make([]time.Duration, len(w.all))
		for round := range *rounds + 1 {
			for i, way := range w.all {
				if rows > way.most {
					continue
				}
				before := w.onCPU(b)
				rate := measure(b, callers, func(ctx context.Context, caller int) error { return way.do(ctx, caller, rows) }, &samples[i])
				if round == 0 { // warm up
					samples[i] = sample{}
					continue
				}
				busy[i] += w.onCPU(b) - before
				rates[i] = append(rates[i], rate)
			}
		}
		for i, way := range w.all {
			var ratios []float64
			for r := range rates[i] {
				ratios = append(ratios, rates[0][r]/rates[i][r])
			}
			if len(ratios) == 0 {
				continue
			}
			each := busy[i] / time.Duration(len(samples[i].took))
			note("A guarded write on PostgreSQL", []string{"how", "callers", "rows a statement", "statements /s", "times the plain one", "server's CPU, us a statement"},
				way.name, fmt.Sprint(callers), fmt.Sprint(rows), fmt.Sprintf("%.0f", median(rates[i])), fmt.Sprintf("%.2f", median(ratios)), fmt.Sprint(each.Microseconds()))
		}
	}
}

// onCPU is the time that the server's processes for these connections have run, which
// other work on the machine does not lengthen; 0 where the system does not tell.
func (w ways) onCPU(b *testing.B) time.Duration {
	b.Helper()
	rows, err := w.db.QueryContext(b.Context(), "SELECT pid FROM pg_stat_activity WHERE datname = current_database()")
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	var sum time.Duration
	for rows.Next() {
		var pid, ran int64
		if err := rows.Scan(&pid); err != nil {
			b.Fatal(err)
		}
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid))
		_, _ = fmt.Sscan(string(text), &ran)
		sum += time.Duration(ran)
	}
	return sum
}
