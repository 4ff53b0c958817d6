package fileguard

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// Options of a Guard. Nil means the defaults.
type Options struct {
	// Lease is the name of the only lease whose fences count for the file.
	// Defaults to the name in the fence that first establishes it.
	Lease string
	// Mode is the mode of what is published. Defaults to 0644.
	Mode os.FileMode
	// Counter counts the verdicts; several guards may share one.
	// Defaults to a counter of the guard's own.
	Counter *guard.Counter
}

// Guard judges who may replace one file or one folder. It may be used by many
// goroutines, and by many processes on many machines; all follow the same rule.
type Guard struct {
	path    string // of what is published
	dir     string // of the mark
	rule    guard.Rule
	lease   string
	mode    os.FileMode
	counter *guard.Counter
}

// New makes a guard of the file or folder at path, whose parent folder exists. It
// changes nothing.
func New(path string, r guard.Rule, o *Options) (*Guard, error) {
	if o == nil {
		o = new(Options)
	}
	if err := r.Check(); err != nil {
		return nil, err
	}
	if o.Lease != "" {
		if err := fence.CheckName(o.Lease); err != nil {
			return nil, err
		}
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(full)
	if path == "" || name == "." || name == string(filepath.Separator) || len(name) > 200 {
		return nil, fmt.Errorf("%w path %s: want a file or a folder with a name of 1 to 200 bytes", fence.ErrInvalid, fence.Quote(path))
	}
	g := &Guard{
		path: full, dir: filepath.Join(filepath.Dir(full), "."+name+".ringfence"),
		rule: r, lease: o.Lease, mode: o.Mode, counter: o.Counter,
	}
	if g.mode == 0 {
		g.mode = 0o644
	}
	if g.counter == nil {
		g.counter = new(guard.Counter)
	}
	return g, nil
}

// Counter is where the guard counts its verdicts.
func (g *Guard) Counter() *guard.Counter { return g.counter }

// Establish begins a term: when it returns, nothing older can be published any
// more. Read what you will change after that, not before. It may be repeated, and
// creates the mark where there is none.
func (g *Guard) Establish(ctx context.Context, f fence.Fence) (fence.Verdict, error) {
	if _, v := guard.Establish(guard.Mark{Lease: g.lease}, f, fence.MaxToken); v.Cause == fence.Invalid {
		return g.conclude(v) // before anything is touched
	}
	return g.counted(g.locked(ctx, f, func(s *state) (fence.Verdict, error) {
		m, limit, err := s.mark()
		if err != nil {
			return fence.Verdict{}, err
		}
		next, v := guard.Establish(g.bound(m), f, limit)
		if !v.OK() || next == m {
			return v, nil
		}
		if err = s.closeTerm(m, next); err == nil {
			err = s.store(record{Mark: next})
		}
		return v, err
	}))
}

// Publish replaces the file by what fill writes, if w may. fill writes to a temporary
// file beside it, and others publish meanwhile; w is judged before that, and again
// when the file is replaced. When Publish returns Admitted, file and mark are on the
// disk. A Duplicate was published before, and the file is left as it is.
//
// The error is nil exactly when the verdict is Admitted or Duplicate. When fill fails,
// nothing is published, the mark is as it was, and fill's error is returned. It matches
// guard.ErrUnknown when the file is replaced but could not be brought to the disk:
// publish the same write again.
func (g *Guard) Publish(ctx context.Context, w guard.Write, fill func(io.Writer) error) (fence.Verdict, error) {
	return g.publish(ctx, w, func(temporary string) (string, error) {
		file, err := os.OpenFile(temporary, os.O_CREATE|os.O_EXCL|os.O_WRONLY, g.mode)
		if err != nil {
			return "", err
		}
		sum := sha256.New()
		if err := fill(io.MultiWriter(file, sum)); err != nil {
			return "", errors.Join(ours{err}, file.Close())
		}
		return hex.EncodeToString(sum.Sum(nil)), errors.Join(flush(file), file.Close())
	})
}

// PublishFolder replaces the folder by the one that fill fills, if w may, as
// [Guard.Publish] does with a file. The path becomes a symbolic link, which is what
// lets a folder change in one step; a real folder that is there is refused. The folder
// before stays where it was until the next one is published, for those who read it.
func (g *Guard) PublishFolder(ctx context.Context, w guard.Write, fill func(dir string) error) (fence.Verdict, error) {
	if info, err := os.Lstat(g.path); err == nil && info.Mode()&os.ModeSymlink == 0 {
		v := fence.Verdict{Outcome: fence.Unavailable, Resource: g.path, Fence: w.Fence}
		return g.counted(v, fmt.Errorf("%w folder %s: it is there and no symbolic link; move it away, and publish it", fence.ErrInvalid, g.path))
	}
	return g.publish(ctx, w, func(temporary string) (string, error) {
		folder := temporary + folderSuffix
		if err := os.Mkdir(folder, 0o755); err != nil {
			return "", err
		}
		if err := fill(folder); err != nil {
			return "", ours{err}
		}
		target := filepath.Join(filepath.Base(g.dir), filepath.Base(placed(temporary)))
		return target, errors.Join(syncTree(folder), os.Symlink(target, temporary))
	})
}

// ours marks an error as the caller's own.
type ours struct{ error }

func (e ours) Unwrap() error { return e.error }

// publish judges w, has the new content made, and judges again when it replaces what
// is there. make returns what tells this content from any other.
func (g *Guard) publish(ctx context.Context, w guard.Write, make func(temporary string) (string, error)) (fence.Verdict, error) {
	if _, v := guard.Decide(g.rule, guard.Mark{Lease: g.lease}, w, fence.MaxToken); v.Cause == fence.Invalid {
		return g.conclude(v) // before anything is touched
	}
	v, err := g.locked(ctx, w.Fence, func(s *state) (fence.Verdict, error) {
		_, _, v, err := s.decide(w)
		return v, err
	})
	if err != nil || v.Outcome != fence.Admitted {
		return g.counted(v, err)
	}
	temporary := filepath.Join(g.dir, "new-"+rand.Text())
	content, err := make(temporary)
	defer discard(temporary) // once it is in place there is nothing
	var own ours
	if errors.As(err, &own) {
		return g.counted(fence.Verdict{Outcome: fence.Unavailable, Resource: g.path, Fence: w.Fence}, own.error)
	}
	if err != nil {
		return g.counted(g.failed(w.Fence, guard.ErrUnavailable, err))
	}
	return g.counted(g.locked(ctx, w.Fence, func(s *state) (fence.Verdict, error) {
		before, next, v, err := s.decide(w)
		if err == nil && v.Outcome == fence.Admitted {
			err = s.replace(before, next, temporary, content)
		}
		return v, err
	}))
}

// bound is m with the lease that the options name, where there is no mark.
func (g *Guard) bound(m guard.Mark) guard.Mark {
	if m.Lease == "" {
		m.Lease = g.lease
	}
	return m
}

// locked runs step while no other guard of the path does, and turns its failure into
// the error that says whether anything was published.
func (g *Guard) locked(ctx context.Context, f fence.Fence, step func(*state) (fence.Verdict, error)) (fence.Verdict, error) {
	s, err := g.open(ctx)
	if err != nil {
		return g.failed(f, guard.ErrUnavailable, err)
	}
	defer s.close()
	v, err := step(s)
	switch {
	case err == nil:
		v.Resource = g.path
		return v, v.Err()
	case s.replaced:
		return g.failed(f, guard.ErrUnknown, err)
	}
	return g.failed(f, guard.ErrUnavailable, err)
}

func (g *Guard) failed(f fence.Fence, kind, err error) (fence.Verdict, error) {
	e := &guard.Error{Kind: kind, Resource: g.path, Fence: f, Err: err}
	if errors.Is(err, errNotOurs) {
		e.Kind = guard.ErrUnfit
	}
	return e.Verdict(), e
}

func (g *Guard) counted(v fence.Verdict, err error) (fence.Verdict, error) {
	g.counter.Count(v)
	return v, err
}

func (g *Guard) conclude(v fence.Verdict) (fence.Verdict, error) {
	v.Resource = g.path
	return g.counted(v, v.Err())
}
