package bench

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var (
	tableFile = flag.String("table", "", "file to write the table of results to, in Markdown")
	rounds    = flag.Int("rounds", 9, "rounds of each side of a comparison")
	roundTime = flag.Duration("round", 300*time.Millisecond, "length of one round")
)

// callerCounts are the numbers of concurrent callers that are compared.
var callerCounts = []int{1, 8, 64}

// side does one unit of work for the caller with this number, which never calls
// it twice at once.
type side func(ctx context.Context, caller int) error

// row is one line of the table.
type row struct {
	what         string
	callers      int
	ours, raw    float64 // units of work a second, medians
	ratio        float64 // median of the rounds' ratios
	p50, p99     time.Duration
	rawp50, rp99 time.Duration
}

var (
	mu     sync.Mutex
	table  []row
	tables []*sheet // of the other questions
)

// sheet is the table of one question.
type sheet struct {
	question string
	columns  []string
	rows     [][]string
}

// note adds a row to the table of a question.
func note(question string, columns []string, row ...string) {
	mu.Lock()
	defer mu.Unlock()
	i := slices.IndexFunc(tables, func(s *sheet) bool { return s.question == question })
	if i < 0 {
		tables, i = append(tables, &sheet{question, columns, nil}), len(tables)
	}
	tables[i].rows = append(tables[i].rows, row)
}

func (s *sheet) markdown() string {
	text := "\n### " + s.question + "\n\n| " + strings.Join(s.columns, " | ") + " |\n|" + strings.Repeat("---|", len(s.columns)) + "\n"
	for _, r := range s.rows {
		text += "| " + strings.Join(r, " | ") + " |\n"
	}
	return text
}

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if text := results(); code == 0 && text != "" {
		fmt.Print(text)
		if *tableFile != "" {
			if err := os.WriteFile(*tableFile, []byte(text), 0o644); err != nil {
				fmt.Fprintln(os.Stderr, err)
				code = 1
			}
		}
	}
	os.Exit(code)
}

// results are all tables, or nothing.
func results() string {
	if len(table)+len(tables) == 0 {
		return ""
	}
	text := fmt.Sprintf("Measured on %s with %s, %d CPUs, %s; each figure is the median of %d rounds of %s, taken in turns.\n\n",
		runtime.GOOS+"/"+runtime.GOARCH, runtime.Version(), runtime.NumCPU(), processor(), *rounds, *roundTime)
	if len(table) > 0 {
		text += markdown(table)
	}
	for _, s := range tables {
		text += s.markdown()
	}
	return text
}

// contender is one side of a contest, by its name.
type contender struct {
	name string
	do   side
}

// contest runs all contenders in turns; the first is ringfence, the second the raw
// limit that the ratios are of.
func contest(b *testing.B, question string, callers int, all []contender) {
	b.Helper()
	for b.Loop() {
		samples, rates := make([]sample, len(all)), make([][]float64, len(all))
		for _, c := range all {
			measure(b, callers, c.do, &sample{}) // warm up
		}
		for range *rounds {
			for i, c := range all {
				rates[i] = append(rates[i], measure(b, callers, c.do, &samples[i]))
			}
		}
		for i, c := range all {
			p50, p99 := samples[i].percentiles()
			var ratios []float64
			for r := range rates[i] {
				ratios = append(ratios, rates[i][r]/rates[1][r])
			}
			note(question, []string{"who", "callers", "pairs /s", "of the raw limit", "p50 / p99 ms"},
				c.name, fmt.Sprint(callers), fmt.Sprintf("%.0f", median(rates[i])), fmt.Sprintf("%.2f", median(ratios)), ms(p50)+" / "+ms(p99))
		}
	}
}

// compare runs ours against raw in turns and adds a row to the table.
func compare(b *testing.B, what string, callers int, ours, raw side) {
	b.Helper()
	for b.Loop() {
		r := row{what: what, callers: callers}
		var a, z sample
		var ratios []float64
		measure(b, callers, ours, &sample{}) // warm up: connections, plans, caches
		measure(b, callers, raw, &sample{})
		for range *rounds {
			o, w := measure(b, callers, ours, &a), measure(b, callers, raw, &z)
			ratios = append(ratios, o/w)
		}
		r.ours, r.raw, r.ratio = median(a.rates), median(z.rates), median(ratios)
		r.p50, r.p99 = a.percentiles()
		r.rawp50, r.rp99 = z.percentiles()
		mu.Lock()
		table = append(table, r)
		mu.Unlock()
		b.ReportMetric(r.ours, "ours/s")
		b.ReportMetric(r.raw, "raw/s")
		b.ReportMetric(r.ratio, "ratio")
	}
}

// sample is what the rounds of one side took.
type sample struct {
	rates []float64
	took  []time.Duration
}

func (s *sample) percentiles() (p50, p99 time.Duration) {
	slices.Sort(s.took)
	return s.took[len(s.took)/2], s.took[len(s.took)*99/100]
}

// measure runs one round and returns the units of work a second.
func measure(b *testing.B, callers int, do side, s *sample) float64 {
	b.Helper()
	var failed atomic.Pointer[error]
	var all sync.WaitGroup
	took := make([][]time.Duration, callers)
	start := time.Now()
	for i := range callers {
		all.Go(func() {
			for began := start; began.Sub(start) < *roundTime; {
				if err := do(b.Context(), i); err != nil {
					failed.Store(&err)
					return
				}
				now := time.Now()
				took[i] = append(took[i], now.Sub(began))
				began = now
			}
		})
	}
	all.Wait()
	if err := failed.Load(); err != nil {
		b.Fatal(*err)
	}
	each := slices.Concat(took...)
	s.took = append(s.took, each...)
	rate := float64(len(each)) / time.Since(start).Seconds()
	s.rates = append(s.rates, rate)
	return rate
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

func markdown(rows []row) string {
	var s strings.Builder
	s.WriteString("| what | callers | ringfence /s | raw /s | ratio | ringfence p50 / p99 ms | raw p50 / p99 ms |\n")
	s.WriteString("|---|---:|---:|---:|---:|---:|---:|\n")
	for _, r := range rows {
		fmt.Fprintf(&s, "| %s | %d | %.0f | %.0f | %.2f | %s / %s | %s / %s |\n", r.what, r.callers, r.ours, r.raw, r.ratio,
			ms(r.p50), ms(r.p99), ms(r.rawp50), ms(r.rp99))
	}
	return s.String()
}

func ms(d time.Duration) string { return fmt.Sprintf("%.2f", float64(d.Microseconds())/1000) }

// processor is the model of the machine's CPU, where the system tells it.
func processor() string {
	info, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(info)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "an unnamed processor"
}
