package journal

import "time"

// Options configure a [Recorder]. Nil means the defaults.
type Options struct {
	// Buffer is how many events are kept while the journal can't take them. What
	// comes beyond that is counted, and shown as a gap. Defaults to 4,096.
	Buffer int

	// Linger is how long an event may wait for others to be written with it. One that
	// comes when nothing was written for so long waits a fourth of it. Defaults to
	// 200 ms, so five writes a second and no more, unless they are full.
	Linger time.Duration

	// Timeout bounds one write. Defaults to 5 s.
	Timeout time.Duration

	// Keep is what the journal is pruned to, from time to time. Each of its bounds
	// defaults to that of [DefaultBounds].
	Keep Bounds

	// OnError is told of each write that failed, and may be nil. It is called from the
	// recorder's own goroutine.
	OnError func(error)
}

func (o *Options) withDefaults() Options {
	var d Options
	if o != nil {
		d = *o
	}
	if d.Buffer <= 0 {
		d.Buffer = 4096
	}
	if d.Linger <= 0 {
		d.Linger = 200 * time.Millisecond
	}
	if d.Timeout <= 0 {
		d.Timeout = 5 * time.Second
	}
	if d.Keep.Age <= 0 {
		d.Keep.Age = DefaultBounds.Age
	}
	if d.Keep.Events <= 0 {
		d.Keep.Events = DefaultBounds.Events
	}
	if d.OnError == nil {
		d.OnError = func(error) {}
	}
	return d
}
