package stamp

import (
	"errors"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

var start = fence.Epoch.Add(1000 * time.Hour)

const unit = time.Millisecond

// at is the stamp of a clock that leaves out up to a unit.
func at(t time.Time) Stamp { return Stamp{At: t, Unit: unit, Revision: 9} }

// held is a term of 10 seconds that was granted at start.
func held() *Term {
	return &Term{Token: 7, Attempt: "a", Holder: "h", Granted: start, Expires: start.Add(10*time.Second + unit), Grant: 3}
}

// TestStampDecides: what a write did follows from the store's stamp on it, whatever
// its writer believed.
func TestStampDecides(t *testing.T) {
	t.Parallel()
	taking := Step{Kind: Acquire, Attempt: "b", TTL: time.Second}
	renewal := Step{Kind: Renew, Attempt: "a", Token: 7, TTL: time.Minute}
	ending := Step{Kind: Release, Attempt: "a", Token: 7}
	breaking := Breaking(held(), "op")
	const inTime, late = 10*time.Second + unit - 1, 10*time.Second + unit
	for _, c := range []struct {
		what  string
		step  Step
		after time.Duration
		want  error // nil where the step is taken
	}{
		{"a grant over a live term", taking, inTime, driver.ErrHeld},
		{"a grant over a lapsed one", taking, late, nil},
		{"a renewal in time", renewal, inTime, nil},
		{"a late renewal", renewal, late, driver.ErrEnded},
		{"a release in time", ending, inTime, nil},
		{"a late release", ending, late, driver.ErrEnded},
		{"a break in time", breaking, inTime, nil},
		{"a late break", breaking, late, driver.ErrEnded},
	} {
		was := held()
		got, err := c.step.Apply("x", was, at(start.Add(c.after)))
		if !errors.Is(err, c.want) || (err != nil) != (got == was) || *was != *held() {
			t.Errorf("%s: %+v, %v; want %v, and the term as it was where that is an error", c.what, got, err, c.want)
		}
	}
}

func TestTokenOfAGrant(t *testing.T) {
	t.Parallel()
	lapsed := start.Add(time.Hour)
	ahead := held()
	ahead.Token = fence.TickOf(lapsed).First() + 5
	for _, c := range []struct {
		what  string
		was   *Term
		floor fence.Token
		want  fence.Token
	}{
		{"a new name", nil, 0, fence.TickOf(lapsed).First()},
		{"a known name", held(), 0, fence.TickOf(lapsed).First()},
		{"a number ahead of the clock", ahead, 0, ahead.Token + 1},
		{"a floor ahead of both", ahead, ahead.Token + 100, ahead.Token + 101},
	} {
		got, err := Step{Kind: Acquire, Attempt: "b", TTL: time.Second, Floor: c.floor}.Apply("x", c.was, at(lapsed))
		if err != nil || got.Token != c.want || got.Grant != 9 || !got.Expires.Equal(lapsed.Add(time.Second+unit)) {
			t.Errorf("%s: %+v, %v; want token %d", c.what, got, err, c.want)
		}
	}
	last := held()
	last.Token = fence.MaxToken
	if got, err := (Step{Kind: Acquire, Attempt: "b"}).Apply("x", last, at(lapsed)); !errors.Is(err, ErrExhausted) || got != last {
		t.Errorf("after the last token: %+v, %v; want it exhausted", got, err)
	}
}

// TestStayKeepsTheTerm: what is written beside a term changes nothing of it, at any time.
func TestStayKeepsTheTerm(t *testing.T) {
	t.Parallel()
	for _, was := range []*Term{nil, held()} {
		if got, err := (Step{Kind: Stay}).Apply("x", was, at(start.Add(time.Hour))); err != nil || got != was {
			t.Errorf("%+v became %+v, %v; want it as it was", was, got, err)
		}
	}
	v, err := Read("x", []byte(`{"name":"x","step":{"kind":"stay"},"line":true}`), at(start))
	if err != nil || !v.Line || v.Now != nil || v.Err != nil {
		t.Errorf("%+v, %v; want a name without a term, and the mark of a line", v, err)
	}
}

// TestAttemptAgain: an attempt gets the grant that it has, unless a floor has
// overtaken that.
func TestAttemptAgain(t *testing.T) {
	t.Parallel()
	again := Step{Kind: Acquire, Attempt: "a", TTL: time.Second, Floor: 6}
	if got, err := again.Apply("x", held(), at(start)); err != nil || *got != *held() {
		t.Errorf("the attempt of a good grant: %+v, %v; want that grant", got, err)
	}
	if got, err := again.Apply("x", held(), at(start.Add(time.Hour))); !errors.Is(err, driver.ErrEnded) {
		t.Errorf("the attempt of a lapsed grant: %+v, %v; want ended", got, err)
	}
	again.Floor = 7
	if got, err := again.Apply("x", held(), at(start)); err != nil || got.Token <= 7 || got.Grant != 9 {
		t.Errorf("the attempt of an overtaken grant: %+v, %v; want a new grant above the floor", got, err)
	}
}

// TestNeverShorterThanAsked: what a stamp may leave out is on top of the term, and not
// in what its owner is told; but nobody is told that a held name is free now.
func TestNeverShorterThanAsked(t *testing.T) {
	t.Parallel()
	now, err := Step{Kind: Acquire, Attempt: "a", TTL: time.Second}.Apply("x", nil, at(start))
	if err != nil || now.For("x", at(start)).Remaining != time.Second {
		t.Fatalf("a term of a second: %+v, %v", now, err)
	}
	late := at(now.Expires.Add(-1))
	if left := now.Left(late); left != 0 {
		t.Errorf("%s are left of a term that may be over", left)
	}
	var refusal *driver.HeldError
	_, err = Step{Kind: Acquire, Attempt: "b"}.Apply("x", now, late)
	if !errors.As(err, &refusal) || refusal.Remaining != unit {
		t.Errorf("refused: %v; want a unit left", err)
	}
	if r := (View{Name: "x", Now: now}).Record(late); r.State != driver.Held || r.Remaining != unit {
		t.Errorf("%+v; want it held for a unit", r)
	}
}

func TestForeignRecordsAreRefused(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"hello", `{"name":"y","id":"1","step":{"kind":"acquire"}}`, `{"name":"x","was":{"token":"0"}}`} {
		if v, err := Read("x", []byte(body), at(start)); err == nil || errors.Is(err, fence.ErrInvalid) || v.Now != nil {
			t.Errorf("the record %s: %+v, %v; want it refused, and nothing of the caller's", body, v, err)
		}
	}
}

// TestEndingIsFound: the name went to another before an ending was read back. What it
// was before that shows how the ending came out.
func TestEndingIsFound(t *testing.T) {
	t.Parallel()
	released, lapsed, other := held(), held(), &Term{Token: 8, Attempt: "b"}
	released.Cause, released.EndedAt = driver.EndReleased, start.Add(time.Second)
	broken := held()
	broken.Cause, broken.By = driver.EndForced, "another"
	release := Step{Kind: Release, Attempt: "a", Token: 7}
	for _, c := range []struct {
		what string
		step Step
		view View
		want *Term
	}{
		{"released in time", release, View{Was: released, Now: other}, released},
		{"released, and nobody since", release, View{Now: released}, released},
		{"not released", release, View{Was: lapsed, Now: other}, nil},
		{"released, not broken", Breaking(held(), "op"), View{Now: released}, nil},
		{"broken by somebody else", Breaking(held(), "op"), View{Now: broken}, nil},
		{"not an ending", Step{Kind: Renew, Attempt: "a", Token: 7}, View{Now: released}, nil},
	} {
		if got := c.view.Ended(c.step); got != c.want {
			t.Errorf("%s: %+v; want %+v", c.what, got, c.want)
		}
	}
}

func TestWorthAWriteWithoutALook(t *testing.T) {
	t.Parallel()
	over := held()
	over.Cause = driver.EndForced
	taking, own := Step{Kind: Acquire, Attempt: "b"}, Step{Kind: Acquire, Attempt: "a"}
	renewal := Step{Kind: Renew, Attempt: "a", Token: 7}
	for _, c := range []struct {
		now  *Term
		free bool
		suit [3]bool // taking, own, renewal
	}{
		{nil, true, [3]bool{true, true, false}},
		{held(), false, [3]bool{false, false, true}},
		{over, true, [3]bool{true, false, false}},
	} {
		v := View{Now: c.now}
		if got := [3]bool{v.Suits(taking), v.Suits(own), v.Suits(renewal)}; v.Free() != c.free || got != c.suit {
			t.Errorf("%+v: free %t, suits %v; want %t, %v", c.now, v.Free(), got, c.free, c.suit)
		}
	}
}
