package fileguard

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/internal/filelock"
)

// errNotOurs: what stands in the folder of the mark is no mark.
var errNotOurs = errors.New("the mark can't be read; if nothing of yours wrote to that folder, move it away and have `ringfence recover` raise the floor before you establish again")

// record is the mark as it is stored.
type record struct {
	guard.Mark
	// Pending is there from before a content is put in place until after. A crash in
	// between leaves it, and what stands at the path then tells which came first.
	Pending *pending `json:",omitempty"`
}

// pending is a write that may have been published.
type pending struct {
	Content string // the sum of a file, the target of a link
	Seq     uint64 // these two are the mark's if it was not
	Key     string
}

// state is the mark while this process has the lock.
type state struct {
	g        *Guard
	lock     io.Closer
	replaced bool // the new content is in place
}

// open takes the lock of the path, and makes the folder for the mark.
func (g *Guard) open(ctx context.Context) (*state, error) {
	if err := os.MkdirAll(g.dir, 0o777); err != nil {
		return nil, err
	}
	lock, err := filelock.Take(ctx, filepath.Join(g.dir, "lock"))
	if err != nil {
		return nil, err
	}
	return &state{g: g, lock: lock}, nil
}

func (s *state) close() { _ = s.lock.Close() }

func (s *state) file(name string) string { return filepath.Join(s.g.dir, name) }

// mark reads the mark, and the highest token that the file system's clock allows.
func (s *state) mark() (guard.Mark, fence.Token, error) {
	now, err := s.now()
	if err != nil {
		return guard.Mark{}, 0, err
	}
	limit := fence.FutureLimit(fence.TickOf(now))
	text, err := os.ReadFile(s.file("mark.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return guard.Mark{}, limit, nil
	}
	if err != nil {
		return guard.Mark{}, 0, err
	}
	var r record
	if err := json.Unmarshal(text, &r); err != nil || !r.Token.Valid() || fence.CheckName(r.Lease) != nil {
		return guard.Mark{}, 0, fmt.Errorf("%s: %w", s.file("mark.json"), errNotOurs)
	}
	if p := r.Pending; p != nil && s.content() != p.Content {
		r.Seq, r.Key = p.Seq, p.Key
	}
	return r.Mark, limit, nil
}

// now is the clock of the file system, which is the server's where it is shared.
func (s *state) now() (time.Time, error) {
	name := s.file("clock")
	if err := os.WriteFile(name, []byte(rand.Text()), 0o666); err != nil {
		return time.Time{}, err
	}
	info, err := os.Stat(name)
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

// content tells what stands at the path from anything else that could.
func (s *state) content() string {
	if target, err := os.Readlink(s.g.path); err == nil {
		return target
	}
	file, err := os.Open(s.g.path)
	if err != nil {
		return ""
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// decide judges w.
func (s *state) decide(w guard.Write) (before, next guard.Mark, v fence.Verdict, err error) {
	before, limit, err := s.mark()
	if err != nil {
		return before, before, v, err
	}
	next, v = guard.Decide(s.g.rule, s.g.bound(before), w, limit)
	if v.Cause == fence.Superseded && s.g.rule == guard.Sequenced {
		var last term
		last, err = s.last(w.Fence.Token)
		v = guard.Landed(v, w, last.Seq, last.Key)
	}
	return before, next, v, err
}

// replace puts the new content in place. The mark goes first: a crash after it leaves
// the old content under a mark that refuses whatever is older, and the same write may
// be sent again. The other order could leave new content under an old mark.
func (s *state) replace(before, next guard.Mark, temporary, content string) error {
	p := &pending{Content: content}
	if before.Token == next.Token {
		p.Seq, p.Key = before.Seq, before.Key
	}
	if err := s.closeTerm(before, next); err != nil {
		return err
	}
	if err := s.store(record{next, p}); err != nil {
		return err
	}
	at("marked")
	previous, _ := os.Readlink(s.g.path) // "" where it is a file
	if err := s.placeFolder(temporary); err != nil {
		return err // as after a crash
	}
	if err := os.Rename(temporary, s.g.path); err != nil {
		return err
	}
	s.replaced = true
	at("renamed")
	if err := syncFolder(filepath.Dir(s.g.path)); err != nil {
		return err
	}
	at("synced")
	_ = s.write("mark.json", record{Mark: next}, false) // where it is not: the content tells
	s.forgetFolders(content, previous)
	return nil
}

// at is called at each point where a crash could leave something half done.
var at = func(string) {}

// term is the last write of a term that is over.
type term struct {
	Seq uint64
	Key string
}

// closeTerm keeps the last write of a term that next ends, to be asked for ever. The
// mark may move on only when it is kept.
func (s *state) closeTerm(before, next guard.Mark) error {
	if s.g.rule != guard.Sequenced || before.Seq == 0 || before.Token == next.Token {
		return nil
	}
	return s.write(termFile(before.Token), term{before.Seq, before.Key}, true)
}

func (s *state) last(token fence.Token) (t term, err error) {
	text, err := os.ReadFile(s.file(termFile(token)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return t, nil
	case err != nil:
		return t, err
	case json.Unmarshal(text, &t) != nil:
		return t, fmt.Errorf("%s: %w", s.file(termFile(token)), errNotOurs)
	}
	return t, nil
}

func termFile(token fence.Token) string { return "term-" + token.String() + ".json" }

func (s *state) store(r record) error { return s.write("mark.json", r, true) }

// flush brings what a file holds to the disk.
var flush = (*os.File).Sync

// write replaces a file of the guard's own, whole: some file systems bring a new name to
// the disk before what is in the file, so that goes first. Where it needs not be durable
// either file may be there after a power failure.
func (s *state) write(name string, value any, durable bool) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	temporary := s.file(name + ".new")
	file, err := os.Create(temporary)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err == nil {
		err = flush(file)
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	if err := os.Rename(temporary, s.file(name)); err != nil || !durable {
		return err
	}
	return syncFolder(s.g.dir)
}
