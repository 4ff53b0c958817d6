package runner

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/lang"
)

// skipped are folders that hold other people's code.
var skipped = []string{".git", ".hg", ".svn", "node_modules", "vendor", "bower_components", "site-packages", "__pycache__", ".venv", "venv", ".tox", ".bundle", "third_party", "Pods", "testdata"}

// units finds the files to review, and puts those together that belong together.
func (r *run) units() []*unit {
	w := &walker{run: r, seen: map[string]bool{}, index: map[string]*unit{}}
	for _, p := range r.Paths {
		p = strings.TrimSuffix(p, "/...")
		if p == "..." {
			p = "."
		}
		if !filepath.IsAbs(p) {
			p = filepath.Join(r.Dir, p)
		}
		w.path(p)
	}
	return w.list
}

type walker struct {
	*run
	seen  map[string]bool
	index map[string]*unit
	list  []*unit
}

func (w *walker) path(p string) {
	info, err := os.Stat(p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		w.problem(p, "does not exist")
	case err != nil:
		w.problem(p, "%v", err)
	case info.Mode().IsRegular():
		w.file(p, true)
	case !info.IsDir():
		w.problem(p, "is neither a file nor a folder") // to read a pipe would be to wait for ever
	default:
		if real, err := filepath.EvalSymlinks(p); err == nil {
			p = real
		}
		w.folder(p, ignoresAbove(p, w.Exclude))
	}
}

// folder goes through a folder. Links are not followed, so that none leads in a
// circle.
func (w *walker) folder(dir string, rules ignores) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		w.problem(dir, "%v", cause(err))
		return
	}
	rules = rules.with(dir)
	for _, e := range entries {
		p := filepath.Join(dir, e.Name())
		switch {
		case w.ctx.Err() != nil:
			return
		case rules.match(p, e.IsDir()):
		case e.IsDir():
			if !slices.Contains(skipped, e.Name()) {
				w.folder(p, rules)
			}
		case e.Type().IsRegular() && lang.Known(e.Name()):
			w.file(p, false)
		}
	}
}

// cause is an error without the path that it repeats.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

func (w *walker) file(p string, named bool) {
	if w.seen[p] {
		return
	}
	w.seen[p] = true
	head, err := readHead(p)
	if err != nil {
		if named || lang.Of(p, nil) != "" {
			w.problem(p, "%v", cause(err))
		}
		return
	}
	language := lang.Of(p, head)
	if language == "" || !named && isMinified(p) || isGenerated(head) {
		return
	}
	key := filepath.Dir(p) + "\x00" + string(language)
	u := w.index[key]
	if u == nil {
		u = &unit{dir: filepath.Dir(p), language: language}
		w.index[key] = u
		w.list = append(w.list, u)
	}
	u.paths = append(u.paths, p)
}

// testNames are what the names of tests begin or end with, in one language or another.
var testNames = []string{"_test.go", "_test.py", ".test.js", ".test.ts", ".test.tsx", ".spec.js", ".spec.ts", ".spec.tsx", "Test.java", "Tests.java", "IT.java", "_spec.rb", "_test.rb", "Test.php"}

// isTest reports whether a file is a test: what it does with locks is often wrong on
// purpose.
func isTest(name string) bool {
	base := filepath.Base(name)
	for _, end := range testNames {
		if strings.HasSuffix(base, end) {
			return true
		}
	}
	return strings.HasPrefix(base, "test_") && strings.HasSuffix(base, ".py")
}

func readHead(p string) ([]byte, error) {
	f, err := os.Open(p)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, 4096)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return head[:n], nil
}

func isMinified(p string) bool {
	return strings.HasSuffix(p, ".min.js") || strings.HasSuffix(p, ".bundle.js") || strings.HasSuffix(p, ".d.ts")
}

// isGenerated reports whether the head of a file says that a program wrote it.
func isGenerated(head []byte) bool {
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || !strings.ContainsRune("/*#-;<", rune(line[0])) {
			continue // a program that writes programs has the words in its code
		}
		if bytes.Contains(line, []byte("Code generated")) && bytes.Contains(line, []byte("DO NOT EDIT")) || bytes.Contains(line, []byte("@generated")) {
			return true
		}
	}
	return false
}

// read reads a file within the bounds.
func (r *run) read(p string) ([]byte, error) {
	info, err := os.Stat(p)
	if err != nil {
		return nil, cause(err)
	}
	if info.Size() > r.MaxSize {
		return nil, fmt.Errorf("larger than %d bytes: not reviewed", r.MaxSize)
	}
	f, err := os.Open(p)
	if err != nil {
		return nil, cause(err)
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, r.MaxSize))
	if err != nil {
		return nil, cause(err)
	}
	src, err = decode(src)
	if err != nil && filepath.Ext(p) == "" {
		err = errProgram
	}
	return src, err
}

// errProgram is of a file without an extension that is a program, not a script.
var errProgram = errors.New("is a program")

// decode makes UTF-8 of UTF-16. Other encodings agree with it in what matters here.
func decode(src []byte) ([]byte, error) {
	big := bytes.HasPrefix(src, []byte{0xFE, 0xFF})
	if big || bytes.HasPrefix(src, []byte{0xFF, 0xFE}) {
		units := make([]uint16, 0, len(src)/2)
		for i := 2; i+1 < len(src); i += 2 {
			hi, lo := src[i+1], src[i]
			if big {
				hi, lo = lo, hi
			}
			units = append(units, uint16(hi)<<8|uint16(lo))
		}
		return []byte(string(utf16.Decode(units))), nil
	}
	if bytes.IndexByte(src, 0) >= 0 {
		return nil, errors.New("is not text")
	}
	return src, nil
}

func countLines(src []byte) int { return bytes.Count(src, []byte("\n")) + 1 }

// triggers are the words one of which a file must have for any rule to find
// anything in it.
var triggers = []string{"setnx", "lock", "lease", "leader", "fenc", "mutex", "elect", "semaphore", "setifabsent", "unless_exist", "cache.add", "\"nx\"", "'nx'", "nx=", "nx:", "nx=>", ".nx(", " nx ", "hsetnx", "running", "set_nx", "holder", "epoch", "owner", "until", "caches", "memcache", "acquire", "latch", "captain", "claim", "singleton", "exclusive", "wp_cache_add", "attribute_not_exists", "putifabsent", "_transient(", "heldby", "held_by", "ifabsent", "doesnotexist", "does_not_exist", "ephemeral", "ifnonematch", "if-none-match", "ifgenerationmatch", "if_generation_match", "not_exists(", "conditionexpression", "duplicate", "11000", "23505", "1062", "nodeexists", "alreadyexists", "uniqueviolation", "integrityerror", "recordnotunique", "generation", " term", "_term", ".term", "superseded", "stale", "redis", "valkey", "dalli", "keyvalue", "kv.create", "errkeyexists", "replace_one", "replaceone"}

// takeovers are what a condition has that gives a row away which has run out, or is
// nobody's: in a file that writes rows, a row may be a lease whatever it is called.
var takeovers = []string{"is null or", "is null)", "< now", "<= now", "< current_timestamp", "< clock_timestamp", "< ?", "< $", "< :", "< %", "< @", "<= ?", "<= $", "<= :", "<= %", "<= @", "$lt", "__lt", ".lt(", ".lt:", "lessthan", "lt:", ".before(", ".after(", "isbefore(", "isafter(", "time.current", "time.now", "date.now", "datetime.now", "timezone.now", "instant.now", "new date(", "isnull("}

var changes = []string{"update", "save", "persist", "merge"}

// Triggers reports whether a file mentions anything that a rule can start from.
func Triggers(src []byte) bool {
	lower := bytes.ToLower(src)
	return mentions(lower, triggers) || mentions(lower, changes) && mentions(lower, takeovers)
}

func mentions(src []byte, list []string) bool {
	return slices.ContainsFunc(list, func(t string) bool { return bytes.Contains(src, []byte(t)) })
}

// types gets ready to read Go files with types, if somebody can.
func (r *run) types(units []*unit) {
	if r.Typed == nil {
		return
	}
	var dirs []string
	for _, u := range units {
		if u.language == ir.Go && u.wanted {
			dirs = append(dirs, u.dir)
		}
	}
	if len(dirs) > 0 {
		r.typed = r.Typed(r.ctx, dirs, r.Strict)
	}
}
