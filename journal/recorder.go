package journal

import (
	"context"
	"crypto/rand"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ringfence-go/ringfence/fence"
)

// Recorder takes events and writes them to a journal in the background. Its methods
// may be called by many goroutines at once; none but Flush and Close waits for
// anything. A nil Recorder takes events and keeps none.
type Recorder struct {
	journal Journal
	opts    Options
	prefix  string // of the ids

	mu      sync.Mutex
	waiting []Event
	batch   []Event // what is being written: a copy, used again and again
	gap     Event   // what was not kept since the last write
	count   uint64
	lost    uint64
	flushed []chan error // who waits for a write of everything
	closed  bool

	wake chan struct{} // something is to be done
	full chan struct{} // and now: a batch is full, or somebody waits
	stop context.Context
	end  context.CancelFunc
	done chan struct{}
}

// NewRecorder returns a Recorder on j, which stays the caller's: close the recorder
// first.
func NewRecorder(j Journal, o *Options) *Recorder {
	r := &Recorder{
		journal: j, opts: o.withDefaults(), prefix: rand.Text()[:16] + "-",
		wake: make(chan struct{}, 1), full: make(chan struct{}, 1), done: make(chan struct{}),
	}
	r.stop, r.end = context.WithCancel(context.Background())
	go r.run()
	return r
}

// Record takes e, now where At is zero. It never waits: where the buffer is full, e
// becomes part of a gap.
func (r *Recorder) Record(e Event) {
	if r == nil {
		return
	}
	if e.At.IsZero() {
		e.At = time.Now()
	}
	e.fit()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || e.Check() != nil || len(r.waiting) >= r.opts.Buffer {
		r.miss(e.At, e.lease(), 1)
		return
	}
	e.ID = r.id()
	r.waiting = append(r.waiting, e)
	signal(r.wake)
	if len(r.waiting) >= maxBatch {
		signal(r.full)
	}
}

func (r *Recorder) id() string {
	r.count++
	return r.prefix + strconv.FormatUint(r.count, 36)
}

// Taken tells from the ID of an event which Recorder took it, and as its how manyth.
// ok is false for an ID that no Recorder made.
func (e Event) Taken() (by string, nth uint64, ok bool) {
	by, count, ok := strings.Cut(e.ID, "-")
	nth, err := strconv.ParseUint(count, 36, 64)
	return by, nth, ok && err == nil
}

// lease is the name that e is of, and empty where no lease can be called so: a gap of it
// would be refused for ever, with all that comes behind.
func (e Event) lease() string {
	if fence.CheckName(e.Name) != nil {
		return ""
	}
	return e.Name
}

// miss counts n lost events of a name. A gap in which those of several names are
// lost is one of the whole store.
func (r *Recorder) miss(at time.Time, name string, n int) {
	r.lost += uint64(n)
	if r.gap.Lost == 0 {
		r.gap = Event{Kind: Gap, Name: name, At: at}
	}
	if r.gap.Name != name {
		r.gap.Name = ""
	}
	r.gap.Until = at
	r.gap.Lost += n
}

// Lost is how many events were not kept, those of gaps that are on record included.
func (r *Recorder) Lost() uint64 {
	if r == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lost
}

// Verdict records a refused write. It is a hook for guards; any other verdict is no
// event.
func (r *Recorder) Verdict(v fence.Verdict) {
	if e, refused := OfVerdict(v); refused {
		r.Record(e)
	}
}
