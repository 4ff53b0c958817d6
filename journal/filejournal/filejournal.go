package filejournal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"strings"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/journal"
)

// Options change how a file is kept. Nil means the defaults.
type Options struct {
	// MaxBytes is how large the file may grow before it becomes FILE.1. Defaults to 16 MiB.
	MaxBytes int64
}

// Journal is a journal in a file. It implements journal.Journal.
type Journal struct {
	path string
	max  int64
}

var _ journal.Journal = (*Journal)(nil)

// Open returns the journal at path. Nothing is touched before it is used; the first
// append makes the file, for its owner alone to read.
func Open(path string, o *Options) *Journal {
	j := &Journal{path: path, max: 16 << 20}
	if o != nil && o.MaxBytes > 0 {
		j.max = o.MaxBytes
	}
	return j
}

// Clock implements journal.Journal.
func (j *Journal) Clock() string { return "each writer's own machine" }

// Close implements journal.Journal.
func (j *Journal) Close() error { return nil }

// Append implements journal.Journal.
func (j *Journal) Append(ctx context.Context, events []journal.Event) error {
	lines, err := encode(events)
	if err != nil {
		return err
	}
	err = j.locked(ctx, func() error {
		size, err := j.size()
		if err == nil && size > 0 && size+int64(len(lines)) > j.max {
			err = os.Rename(j.path, j.older())
		}
		if err != nil {
			return err
		}
		return j.write(lines)
	})
	return j.fault("write", err)
}

func encode(events []journal.Event) ([]byte, error) {
	var lines bytes.Buffer
	out := json.NewEncoder(&lines)
	out.SetEscapeHTML(false)
	for _, e := range events {
		if err := e.Check(); err != nil {
			return nil, err
		}
		e.At = e.At.UTC()
		if !e.Until.IsZero() {
			e.Until = e.Until.UTC()
		}
		if err := out.Encode(e); err != nil {
			return nil, err
		}
	}
	return lines.Bytes(), nil
}

// write adds whole lines, or nothing. What a crash left of a line is ended first.
func (j *Journal) write(lines []byte) (err error) {
	f, err := os.OpenFile(j.path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if size := info.Size(); size > 0 {
		var ends [2]byte
		if _, err := f.ReadAt(ends[:1], 0); err != nil {
			return err
		}
		if ends[0] != '{' && ends[0] != '\n' {
			return errForeign
		}
		if _, err := f.ReadAt(ends[1:], size-1); err != nil {
			return err
		}
		if ends[1] != '\n' {
			lines = append([]byte("\n"), lines...)
		}
	}
	if _, err := f.Write(lines); err != nil {
		return errors.Join(err, f.Truncate(info.Size()))
	}
	return f.Sync()
}

var errForeign = errors.New("it is no journal: it does not begin with an event")

// Read implements journal.Journal.
func (j *Journal) Read(ctx context.Context, q journal.Query) iter.Seq2[journal.Event, error] {
	return journal.Once(func(yield func(journal.Event, error) bool) {
		for _, path := range []string{j.path, j.older()} { // in this order: one may become the other meanwhile
			text, err := os.ReadFile(path)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				yield(journal.Event{}, j.fault("read", err))
				return
			}
			if !backwards(ctx, path, text, q, yield) {
				return
			}
		}
	})
}

// backwards yields the events of a file, and reports whether to go on.
func backwards(ctx context.Context, path string, text []byte, q journal.Query, yield func(journal.Event, error) bool) bool {
	for number := bytes.Count(text, []byte("\n")) + 1; number > 0; number-- {
		var line []byte
		line, text = text[bytes.LastIndexByte(text, '\n')+1:], text[:max(bytes.LastIndexByte(text, '\n'), 0)]
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if ctx.Err() != nil {
			yield(journal.Event{}, context.Cause(ctx))
			return false
		}
		var e journal.Event
		if err := json.Unmarshal(line, &e); err != nil || e.Check() != nil {
			err := fmt.Errorf("%s, line %d: %w", path, number, journal.ErrCorrupt)
			if !yield(e, err) {
				return false
			}
			continue
		}
		if q.Wants(e) && !yield(e, nil) {
			return false
		}
	}
	return true
}

// Prune implements journal.Journal. It removes the older of the two files when
// nothing in it is to be kept, so that a file keeps up to twice its bounds.
func (j *Journal) Prune(ctx context.Context, b journal.Bounds) (removed int, err error) {
	err = j.locked(ctx, func() error {
		oldest := time.Now().Add(-b.Age)
		if info, err := os.Stat(j.older()); err == nil && info.ModTime().Before(oldest) {
			n, err := lines(j.older())
			if err == nil {
				err = os.Remove(j.older())
			}
			if err != nil {
				return err
			}
			removed += n
		}
		n, err := lines(j.path)
		if err != nil || n == 0 || n <= b.Events && !j.first().Before(oldest) {
			return err
		}
		gone, err := lines(j.older())
		if err == nil {
			err = os.Rename(j.path, j.older())
		}
		if err == nil {
			removed += gone
		}
		return err
	})
	return removed, j.fault("prune", err)
}

func lines(path string) (int, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	return bytes.Count(text, []byte("\n")), err
}

// first is the time of the first event, now where that can't be read.
func (j *Journal) first() time.Time {
	text, err := os.ReadFile(j.path)
	line, _, _ := strings.Cut(string(text), "\n")
	var e journal.Event
	if err != nil || json.Unmarshal([]byte(line), &e) != nil {
		return time.Now()
	}
	return e.At
}

func (j *Journal) older() string { return j.path + ".1" }

func (j *Journal) size() (int64, error) {
	info, err := os.Stat(j.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, nil
	case err != nil:
		return 0, err
	case !info.Mode().IsRegular():
		return 0, errNoFile
	}
	return info.Size(), nil
}

var errNoFile = errors.New("it is no regular file")

// fault names the file in an error, and says what to do.
func (j *Journal) fault(what string, err error) error {
	if err == nil {
		return nil
	}
	f := &driver.Fault{Kind: driver.ErrUnavailable, Err: fmt.Errorf("%s the journal %s: %w", what, j.path, err)}
	switch {
	case errors.Is(err, errForeign), errors.Is(err, errNoFile):
		f.Kind, f.Hint = driver.ErrUnfit, "name another file"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, errReadOnly):
		f.Kind, f.Hint = driver.ErrUnfit, "name a file in a folder that you may write to"
	case errors.Is(err, fs.ErrNotExist):
		f.Kind, f.Hint = driver.ErrUnfit, "create its folder"
	}
	return f
}
