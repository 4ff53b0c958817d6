package casstore

import (
	"context"
	"crypto/rand"
	"errors"
	"time"
)

// probe finds out whether the bucket keeps conditions, and stamps what is written by
// the clock that its answers show.
func (s *Store) probe(ctx context.Context) error {
	for p := newPause(); ; {
		past, err := s.swapProbe(ctx)
		if err != nil {
			return err
		}
		if err = s.probeRefusals(ctx, past.Version); err == nil {
			return s.probeStamp(ctx, past.At)
		}
		if !again(err) {
			return before(err)
		}
		if stop := before(p.Wait(ctx, nil)); stop != nil {
			return giveUp(stop, err)
		}
	}
}

// swapProbe writes in the place of a value that there is, and returns that.
func (s *Store) swapProbe(ctx context.Context) (Object, error) {
	for p := newPause(); ; {
		o, err := s.get(ctx, s.keys.probe())
		if err != nil {
			return o, err
		}
		_, err = s.put(ctx, s.keys.probe(), o.Version, []byte(rand.Text()))
		if err == nil && o.found() {
			return o, nil
		}
		if err != nil && !again(err) {
			return o, before(err)
		}
		if stop := before(p.Wait(ctx, nil)); stop != nil {
			return o, giveUp(stop, err)
		}
	}
}

// probeRefusals sends two writes that a bucket must refuse, since there is a value,
// and not in that version any more.
func (s *Store) probeRefusals(ctx context.Context, past string) error {
	for _, c := range []struct{ version, against string }{
		{"", "that there is no value"},
		{past, "of a version"},
	} {
		_, err := s.put(ctx, s.keys.probe(), c.version, []byte(rand.Text()))
		switch {
		case err == nil:
			return unfit(errors.New("the bucket writes against the condition "+c.against), unfitBucket)
		case judge(err).Kind != ErrMoved:
			return err
		}
	}
	return nil
}

// probeStamp checks that what was just written is stamped by the clock of the answers.
func (s *Store) probeStamp(ctx context.Context, since time.Time) error {
	o, err := s.get(ctx, s.keys.probe())
	if err != nil {
		return err
	}
	if o.Wrote.Before(since.Add(-s.o.Apart)) || o.Wrote.After(o.At.Add(s.o.Apart)) {
		return unfit(errors.New("the bucket stamps what is written by another clock than that of its answers: it was written between "+
			since.Format(time.TimeOnly)+" and "+o.At.Format(time.TimeOnly)+", and says "+o.Wrote.Format(time.TimeOnly)),
			"set the clocks of the service's servers")
	}
	return nil
}
