package s3store

import (
	"context"
	"crypto/rand"
	"errors"
	"time"
)

// probe finds out whether the endpoint honours conditional writes, and stamps what is
// written by the clock that its answers show.
func (s *Store) probe(ctx context.Context) error {
	for p := (pause{}); ; {
		o, err := s.get(ctx, s.keys.probe())
		if err != nil {
			return err
		}
		if o.found {
			err = s.probeRefusals(ctx)
		}
		if err == nil {
			_, err = s.put(ctx, s.keys.probe(), o.etag, []byte(rand.Text()))
		}
		if err == nil && o.found {
			return s.probeStamp(ctx, o.at)
		}
		if err != nil && !judge(err).again {
			return before(err)
		}
		if err := p.wait(ctx); err != nil {
			return err
		}
	}
}

// probeRefusals sends two writes that an endpoint must refuse, since the object
// exists and no object has that ETag.
func (s *Store) probeRefusals(ctx context.Context) error {
	for condition, etag := range map[string]string{"If-None-Match": "", "If-Match": `"00000000000000000000000000000000"`} {
		_, err := s.put(ctx, s.keys.probe(), etag, []byte(rand.Text()))
		switch {
		case err == nil:
			return refuse(errors.New("the endpoint writes against the condition "+condition), unfitEndpoint)
		case !refusedWrite(err):
			return err
		}
	}
	return nil
}

// probeStamp checks that what was just written is stamped by the clock in Date.
func (s *Store) probeStamp(ctx context.Context, since time.Time) error {
	o, err := s.get(ctx, s.keys.probe())
	if err != nil {
		return err
	}
	if o.modified.Before(since.Add(-maxApart)) || o.modified.After(o.at.Add(maxApart)) {
		return refuse(errors.New("the endpoint stamps Last-Modified by another clock than Date: it was written between "+
			since.Format(time.TimeOnly)+" and "+o.at.Format(time.TimeOnly)+", and says "+o.modified.Format(time.TimeOnly)),
			"set the clocks of the endpoint's servers")
	}
	return nil
}
