package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/store/memstore"
)

// altered is a store with something wrong, unless all is nil.
type altered struct {
	driver.Store
	acquire func(context.Context, driver.Request) (driver.Term, error)
	renew   func(context.Context, driver.Term, time.Duration) (driver.Term, error)
	release func(context.Context, driver.Term) error
	inspect func(context.Context, string) (driver.Record, error)
}

func (s altered) Acquire(ctx context.Context, r driver.Request) (driver.Term, error) {
	if s.acquire != nil {
		return s.acquire(ctx, r)
	}
	return s.Store.Acquire(ctx, r)
}

func (s altered) Renew(ctx context.Context, t driver.Term, ttl time.Duration) (driver.Term, error) {
	if s.renew != nil {
		return s.renew(ctx, t, ttl)
	}
	return s.Store.Renew(ctx, t, ttl)
}

func (s altered) Release(ctx context.Context, t driver.Term) error {
	if s.release != nil {
		return s.release(ctx, t)
	}
	return s.Store.Release(ctx, t)
}

func (s altered) Inspect(ctx context.Context, name string) (driver.Record, error) {
	if s.inspect != nil {
		return s.inspect(ctx, name)
	}
	return s.Store.Inspect(ctx, name)
}

func (altered) Close() error { return nil } // both connections are one store

// bubble runs f in virtual time that begins, as real time does, after the epoch
// of tokens.
func bubble(t *testing.T, f func(*testing.T)) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(30 * 365 * 24 * time.Hour)
		f(t)
	})
}

func config(s driver.Store, found ...driver.Finding) Config {
	return Config{
		Label:   "mem",
		Examine: func(context.Context) ([]driver.Finding, error) { return found, nil },
		Open:    func(context.Context) (driver.Store, error) { return altered{Store: s}, nil },
	}
}

// want looks for one finding of that subject and grade whose text has the words.
func want(t *testing.T, r Report, subject string, grade driver.Grade, words string) {
	t.Helper()
	if !slices.ContainsFunc(r.Findings, func(f driver.Finding) bool {
		return f.Subject == subject && f.Grade == grade && strings.Contains(f.Found+"; "+f.Means+"; "+f.Do, words)
	}) {
		t.Errorf("want %s to be %s and say %q; got %+v", subject, grade, words, r)
	}
}

func run(t *testing.T, c Config) Report {
	t.Helper()
	r, err := Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// wantNothingHeld fails where a name of the doctor's is still held.
func wantNothingHeld(t *testing.T, s driver.Store) {
	t.Helper()
	for i := range places {
		for _, name := range []string{fmt.Sprint(Prefix, i+1), fmt.Sprint(Prefix, i+1, "/try")} {
			if rec, err := s.Inspect(context.Background(), name); err != nil || rec.State == driver.Held {
				t.Errorf("%s: %+v, %v", name, rec, err)
			}
		}
	}
}

func TestGoodStore(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		s := memstore.New(nil)
		r := run(t, config(s, driver.Finding{Subject: "version", Grade: driver.Fit, Found: "1", Means: "good"}))
		for _, subject := range []string{"atomic acquire", "expiry", "rising token", "clock", "latency", "version"} {
			want(t, r, subject, driver.Fit, "")
		}
		if r.Grade != driver.Fit || len(r.Findings) != 6 || r.measured != 5 {
			t.Errorf("%+v", r)
		}
		wantNothingHeld(t, s)
	})
}

func TestGradeIsTheWorst(t *testing.T) {
	t.Parallel()
	warning := driver.Finding{Subject: "a", Grade: driver.Warning, Found: "b", Means: "c", Do: "d"}
	c := config(memstore.New(nil), warning)
	c.Quick = true
	if r := run(t, c); r.Grade != driver.Warning || r.measured == 0 {
		t.Errorf("%+v", r)
	}
	unfit := warning
	unfit.Grade = driver.Unfit
	c = config(memstore.New(nil), warning, unfit)
	c.Open = func(context.Context) (driver.Store, error) { panic("an unfit store is not opened") }
	if r := run(t, c); r.Grade != driver.Unfit || r.measured != 0 || len(r.Findings) != 2 {
		t.Errorf("%+v", r)
	}
	c.ReadOnly = true
	if r := run(t, c); r.Grade != driver.Unfit {
		t.Errorf("%+v", r)
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	c := config(nil)
	c.Examine = func(context.Context) ([]driver.Finding, error) {
		return nil, &driver.Fault{Kind: driver.ErrUnavailable, Err: errors.New("refused"), Hint: "start it"}
	}
	r := run(t, c)
	want(t, r, "connection", driver.Unfit, "refused; no lease can be had there as it is; start it")
	c.Examine = func(context.Context) ([]driver.Finding, error) { return nil, errors.ErrUnsupported }
	c.Open = func(context.Context) (driver.Store, error) { return nil, errors.New("no rights") }
	want(t, run(t, c), "opening the store", driver.Unfit, "no rights")
}

// TestFindsWhatIsWrong takes one promise after the other away from a store.
func TestFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		subject string
		grade   driver.Grade
		words   string
		spoil   func(driver.Store) altered
	}{
		{"atomic acquire", driver.Unfit, "got the same name at once", grantsToAll},
		{"atomic acquire", driver.Warning, "got no answer: store unavailable: lost", answersSome},
		{"expiry", driver.Unfit, "was not over 30s after its end", neverEnds},
		{"expiry", driver.Unfit, "was granted to somebody else after", endsEarly},
		{"expiry", driver.Unfit, "late renewal of an expired lease was not refused", revives},
		{"rising token", driver.Unfit, "was granted after token", falls},
		{"rising token", driver.Warning, "more than a day ahead", runsAhead},
		{"clock", driver.Warning, "NTP", clockOff},
		{"latency", driver.Warning, "no lease shorter than", slowly},
		{"steps of a term", driver.Unfit, "no rights", refuses},
	} {
		t.Run(c.subject+" "+string(c.grade), func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T) {
				good := memstore.New(nil)
				conf := config(good)
				bad := c.spoil(good)
				conf.Open = func(context.Context) (driver.Store, error) { return bad, nil }
				want(t, run(t, conf), c.subject, c.grade, c.words)
			})
		})
	}
}

func grantsToAll(s driver.Store) altered {
	var last atomic.Int64
	return altered{Store: s, acquire: func(_ context.Context, r driver.Request) (driver.Term, error) {
		return driver.Term{Fence: fence.Fence{Name: r.Name, Token: fence.Token(last.Add(1))}, Attempt: r.Attempt}, nil
	}, renew: func(_ context.Context, t driver.Term, _ time.Duration) (driver.Term, error) {
		return t, nil
	}, release: func(context.Context, driver.Term) error { return nil }}
}

// answersSome loses the answer to some of the callers that come at once.
func answersSome(s driver.Store) altered {
	var racing atomic.Int64
	return altered{Store: s, acquire: func(ctx context.Context, r driver.Request) (driver.Term, error) {
		t, err := s.Acquire(ctx, r)
		if errors.Is(err, driver.ErrHeld) && racing.Add(1) == 1 {
			return t, &driver.Fault{Kind: driver.ErrUnavailable, Err: errors.New("lost")}
		}
		return t, err
	}}
}

func neverEnds(s driver.Store) altered {
	return altered{Store: s, acquire: func(ctx context.Context, r driver.Request) (driver.Term, error) {
		r.TTL = driver.MaxTTL
		return s.Acquire(ctx, r)
	}}
}

func endsEarly(s driver.Store) altered {
	return altered{Store: s, acquire: func(ctx context.Context, r driver.Request) (driver.Term, error) {
		if r.TTL < time.Second {
			r.TTL /= 2
		}
		return s.Acquire(ctx, r)
	}}
}

func revives(s driver.Store) altered {
	return altered{Store: s, renew: func(ctx context.Context, t driver.Term, ttl time.Duration) (driver.Term, error) {
		got, err := s.Renew(ctx, t, ttl)
		if errors.Is(err, driver.ErrEnded) {
			return t, nil
		}
		return got, err
	}}
}

// falls shows tokens from the fourth grant on that are lower than they are.
func falls(s driver.Store) altered {
	var n atomic.Int64
	var shift fence.Token
	return altered{Store: s, acquire: func(ctx context.Context, r driver.Request) (driver.Term, error) {
		t, err := s.Acquire(ctx, r)
		if err == nil && n.Add(1) == 4 {
			shift = 100
		}
		t.Token -= shift
		return t, err
	}, renew: func(ctx context.Context, t driver.Term, ttl time.Duration) (driver.Term, error) {
		t.Token += shift
		return s.Renew(ctx, t, ttl)
	}, release: func(ctx context.Context, t driver.Term) error {
		t.Token += shift
		return s.Release(ctx, t)
	}}
}

func runsAhead(s driver.Store) altered {
	if _, err := s.(driver.Recoverer).Raise(context.Background(), fence.TickOf(time.Now().Add(48*time.Hour)).First()); err != nil {
		panic(err)
	}
	return altered{Store: s}
}

func clockOff(s driver.Store) altered {
	return altered{Store: s, inspect: func(ctx context.Context, name string) (driver.Record, error) {
		r, err := s.Inspect(ctx, name)
		r.GrantedAt = r.GrantedAt.Add(-time.Hour)
		return r, err
	}}
}

func slowly(s driver.Store) altered {
	return altered{Store: s, renew: func(ctx context.Context, t driver.Term, ttl time.Duration) (driver.Term, error) {
		<-time.After(time.Second)
		return s.Renew(ctx, t, ttl)
	}}
}

func refuses(s driver.Store) altered {
	return altered{Store: s, renew: func(context.Context, driver.Term, time.Duration) (driver.Term, error) {
		return driver.Term{}, &driver.Fault{Kind: driver.ErrUnfit, Err: errors.New("no rights")}
	}}
}

// TestNothingStaysHeld ends the doctor at each of its calls in turn, once with the
// call done and its answer lost.
func TestNothingStaysHeld(t *testing.T) {
	t.Parallel()
	for stop := int64(1); stop < 40; stop++ {
		bubble(t, func(t *testing.T) {
			s := memstore.New(nil)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var n atomic.Int64
			c := config(s)
			c.Open = func(context.Context) (driver.Store, error) {
				return altered{Store: s, acquire: func(call context.Context, r driver.Request) (driver.Term, error) {
					term, err := s.Acquire(call, r)
					if err == nil && n.Add(1) == stop {
						cancel()
						return driver.Term{}, &driver.Fault{Kind: driver.ErrUnknown, Err: call.Err()}
					}
					return term, err
				}}, nil
			}
			if _, err := Run(ctx, c); !errors.Is(err, context.Canceled) {
				t.Errorf("stopped at grant %d: %v", stop, err)
			}
			wantNothingHeld(t, s)
		})
	}
}

// TestWhatIsLeftIsTold: at the end the store does not answer any more.
func TestWhatIsLeftIsTold(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		s := memstore.New(nil)
		ctx, cancel := context.WithCancel(t.Context())
		c := config(s)
		c.Open = func(context.Context) (driver.Store, error) {
			return altered{Store: s, release: func(context.Context, driver.Term) error {
				cancel()
				return &driver.Fault{Kind: driver.ErrUnavailable}
			}}, nil
		}
		r, err := Run(ctx, c)
		if left := []string{Prefix + "1", Prefix + "1/try"}; !errors.Is(err, context.Canceled) || !slices.Equal(r.Left, left) {
			t.Errorf("left %q, %v; want %q", r.Left, err, left)
		}
		var page strings.Builder
		if err := (Page{Width: 80}).Write(&page, r); err != nil || !strings.Contains(page.String(), "did not answer: "+Prefix+"1, ") {
			t.Errorf("%s, %v", page.String(), err)
		}
	})
}

// TestClockIsToldOnce: on a store that the first look did not find yet, the second one
// tells of its clock.
func TestClockIsToldOnce(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		c := config(memstore.New(nil))
		looks := 0
		c.Examine = func(context.Context) (found []driver.Finding, err error) {
			if looks++; looks == 2 {
				found = []driver.Finding{{Subject: clockSubject, Grade: driver.Fit, Found: "looked at"}}
			}
			return found, nil
		}
		r := run(t, c)
		r.Findings = slices.DeleteFunc(r.Findings, func(f driver.Finding) bool { return !isClock(f) })
		if len(r.Findings) != 1 || r.Findings[0].Found != "looked at" {
			t.Errorf("%+v", r.Findings)
		}
	})
}

func TestDoctorsKeepOutOfEachOthersWay(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		s := memstore.New(nil)
		for i := range places {
			if r := run(t, config(s)); r.Grade != driver.Fit {
				t.Errorf("with %d others: %+v", i, r)
			}
			name := fmt.Sprint(Prefix, i+1)
			if _, err := s.Acquire(t.Context(), driver.Request{Name: name, Attempt: "another", TTL: time.Hour}); err != nil {
				t.Fatal(err)
			}
		}
		want(t, run(t, config(s)), "acquire", driver.Unfit, "9 other doctors")
	})
}
