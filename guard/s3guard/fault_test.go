package s3guard_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/s3guard"
)

func fenceOf(token fence.Token) fence.Fence { return fence.Fence{Name: "report", Token: token} }

func establish(t testing.TB, g *s3guard.Guard, token fence.Token) {
	t.Helper()
	if v, err := g.Establish(t.Context(), fenceOf(token)); err != nil {
		t.Fatal(v, err)
	}
}

// hook calls f for the next n PUTs. It returns true to break them.
func hook(n int, f func(http.ResponseWriter, *http.Request) bool) *func(http.ResponseWriter, *http.Request) bool {
	g := func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPut || n == 0 {
			return false
		}
		n--
		return f(w, r)
	}
	return &g
}

func yes(http.ResponseWriter, *http.Request) bool { return true }

func TestLostAnswerIsFoundByTheNonce(t *testing.T) {
	t.Parallel()
	for _, rule := range []guard.Rule{guard.Once, guard.Sequenced, guard.Latest} {
		t.Run(rule.String(), func(t *testing.T) {
			t.Parallel()
			s := startServer(t)
			g := s.guard(t, "a", rule)
			establish(t, g, 5)
			w := guard.Write{Fence: fenceOf(5), Key: "k"}
			if rule == guard.Sequenced {
				w.Seq = 1
			}
			s.after.Store(hook(1, yes))
			if v, err := g.Write(t.Context(), w, []byte("text")); v.Outcome != fence.Admitted || err != nil {
				t.Errorf("%v, %v; want admitted, by this very write", v, err)
			}
		})
	}
}

// TestLostAnswerAndSuperseded: between the lost answer and the next read, newer terms
// write. Only where the object still tells of the write is it said to be admitted.
func TestLostAnswerAndSuperseded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule   guard.Rule
		newer  int
		want   fence.Outcome
		landed bool
	}{
		{guard.Latest, 1, fence.Admitted, false},
		{guard.Latest, 2, fence.Unknown, false},
		{guard.Once, 2, fence.Unknown, false},
		{guard.Sequenced, 1, fence.Admitted, false},
		{guard.Sequenced, 2, fence.Refused, true},
	} {
		s := startServer(t)
		g, other := s.guard(t, "a", c.rule), s.guard(t, "a", c.rule)
		establish(t, g, 5)
		w := guard.Write{Fence: fenceOf(5), Key: "k"}
		if c.rule == guard.Sequenced {
			w.Seq = 1
		}
		s.after.Store(hook(1, func(http.ResponseWriter, *http.Request) bool {
			s.after.Store(nil)
			for n := range c.newer {
				establish(t, other, 6+fence.Token(n))
			}
			return true
		}))
		v, err := g.Write(t.Context(), w, []byte("text"))
		if v.Outcome != c.want || v.Landed != c.landed {
			t.Errorf("%s, %d newer terms: %v, %v; want %s, landed %t", c.rule, c.newer, v, err, c.want, c.landed)
		}
	}
}

// TestSupersededOnTheWay holds a write back after its read until a newer term has
// established itself. The data are as long and as often written as before.
func TestSupersededOnTheWay(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	g, other := s.guard(t, "a", guard.Latest), s.guard(t, "a", guard.Latest)
	establish(t, g, 5)
	s.before.Store(hook(1, func(http.ResponseWriter, *http.Request) bool {
		s.before.Store(nil)
		establish(t, other, 6)
		return false
	}))
	v, err := g.Write(t.Context(), guard.Write{Fence: fenceOf(5)}, []byte("stale"))
	if v.Cause != fence.Superseded || !errors.Is(err, fence.ErrRefused) {
		t.Errorf("%v, %v; want superseded", v, err)
	}
	if data, err := g.Read(t.Context()); err != nil || len(data) > 0 {
		t.Errorf("the object holds %q, %v", data, err)
	}
}

// TestNoteNeverFalls: who replaces a mark notes the last write of its term. One who
// had read the mark earlier, and is slow, must not take the note back.
func TestNoteNeverFalls(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	g, quick, slow := s.guard(t, "a", guard.Sequenced), s.guard(t, "a", guard.Sequenced), s.guard(t, "a", guard.Sequenced)
	establish(t, g, 5)
	write := func(seq uint64) (fence.Verdict, error) {
		return g.Write(t.Context(), guard.Write{Fence: fenceOf(5), Seq: seq, Key: "k"}, []byte("text"))
	}
	if v, err := write(1); err != nil {
		t.Fatal(v, err)
	}
	s.before.Store(hook(1, func(http.ResponseWriter, *http.Request) bool { // the note of the slow one
		s.before.Store(nil)
		if v, err := write(2); err != nil {
			t.Error(v, err)
		}
		establish(t, quick, 6)
		return false
	}))
	establish(t, slow, 7)
	for seq, want := range map[uint64]bool{1: true, 2: true, 3: false} {
		if v, err := write(seq); v.Cause != fence.Superseded || v.Landed != want {
			t.Errorf("write %d: %v, %v; want superseded, landed %t", seq, v, err, want)
		}
	}
}

func TestErrorsOfTheEndpoint(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		code   string
		want   error
		says   string
	}{
		{http.StatusForbidden, "AccessDenied", guard.ErrUnfit, "s3:PutObject"},
		{http.StatusNotFound, "NoSuchBucket", guard.ErrUnfit, "make the bucket"},
		{http.StatusNotImplemented, "NotImplemented", guard.ErrUnfit, "conditional writes"},
		{http.StatusServiceUnavailable, "SlowDown", guard.ErrUnavailable, "SlowDown"},
		{http.StatusInternalServerError, "InternalError", guard.ErrUnknown, "same write again"},
	} {
		s := startServer(t)
		g := s.guard(t, "a", guard.Latest)
		establish(t, g, 5)
		s.before.Store(hook(99, func(w http.ResponseWriter, _ *http.Request) bool { fail(w, c.status, c.code); return true }))
		v, err := g.Write(t.Context(), guard.Write{Fence: fenceOf(5)}, []byte("text"))
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "s3cret") || v.OK() {
			t.Errorf("%s: %v, %v; want %v that says %q", c.code, v, err, c.want, c.says)
		}
	}
}

// TestCredentialsThatCannotBeHad: a machine without a role answers 404 where it is asked
// for credentials, which is not the endpoint's word that there is no mark. A recovery
// would choose a floor below the marks that it could not read.
func TestCredentialsThatCannotBeHad(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	establish(t, s.guard(t, "a", guard.Latest), 5)
	for _, status := range []int{http.StatusNotFound, http.StatusForbidden, http.StatusPreconditionFailed} {
		o := s.client().Options()
		o.Credentials = noRole(status)
		g, err := s3guard.New(s3.New(o), bucket, "a", guard.Latest, nil)
		if err != nil {
			t.Fatal(err)
		}
		m, err := g.Mark(t.Context())
		if !errors.Is(err, guard.ErrUnavailable) || !strings.Contains(err.Error(), "credentials for the bucket") {
			t.Errorf("%d: mark %+v, %v; want an error that asks for credentials", status, m, err)
		}
		if v, err := g.Write(t.Context(), guard.Write{Fence: fenceOf(6)}, nil); !errors.Is(err, guard.ErrUnavailable) {
			t.Errorf("%d: %v, %v; want unavailable", status, v, err)
		}
	}
}

// noRole fails as the instance metadata service of a machine without a role does.
func noRole(status int) aws.CredentialsProviderFunc {
	return func(context.Context) (aws.Credentials, error) {
		said := &http.Response{StatusCode: status, Header: http.Header{"Date": {time.Now().UTC().Format(http.TimeFormat)}}}
		return aws.Credentials{}, &smithy.OperationError{ServiceID: "ec2imds", OperationName: "GetMetadata",
			Err: &smithyhttp.ResponseError{Response: &smithyhttp.Response{Response: said}, Err: errors.New("request failed")}}
	}
}

func TestConflictIsRepeated(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	g := s.guard(t, "a", guard.Latest)
	s.before.Store(hook(2, func(w http.ResponseWriter, _ *http.Request) bool {
		fail(w, http.StatusConflict, "ConditionalRequestConflict")
		return true
	}))
	establish(t, g, 5)
}

func TestEstablishAgainWritesNothing(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	g := s.guard(t, "a", guard.Latest)
	establish(t, g, 5)
	s.before.Store(hook(99, func(w http.ResponseWriter, _ *http.Request) bool {
		t.Error("a write")
		return false
	}))
	establish(t, g, 5)
}

func TestObjectOfAnother(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	_, err := s.client().PutObject(t.Context(), &s3.PutObjectInput{Bucket: aws.String(bucket), Key: aws.String("plain"), Body: strings.NewReader("text\n")})
	if err != nil {
		t.Fatal(err)
	}
	if v, err := s.guard(t, "plain", guard.Latest).Establish(t.Context(), fenceOf(5)); !errors.Is(err, guard.ErrUnfit) {
		t.Errorf("an object without a mark: %v, %v; want unfit", v, err)
	}
	establish(t, s.guard(t, "a", guard.Latest), 5)
	g, err := s3guard.New(s.client(), bucket, "a", guard.Latest, &s3guard.Options{Lease: "another"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Establish(t.Context(), fence.Fence{Name: "another", Token: 9}); !errors.Is(err, guard.ErrUnfit) {
		t.Errorf("an object of another lease: %v; want unfit", err)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	g := s.guard(t, "a", guard.Latest)
	establish(t, g, 5)
	most := make([]byte, s3guard.MaxBytes)
	if v, err := g.Write(t.Context(), guard.Write{Fence: fenceOf(5)}, most); err != nil {
		t.Error(v, err)
	}
	if data, err := g.Read(t.Context()); err != nil || len(data) != len(most) {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if _, err := g.Write(t.Context(), guard.Write{Fence: fenceOf(5)}, append(most, 0)); !errors.Is(err, fence.ErrInvalid) {
		t.Errorf("one byte more: %v; want invalid", err)
	}
	for _, key := range []string{"", strings.Repeat("k", 1001)} {
		if _, err := s3guard.New(s.client(), bucket, key, guard.Latest, nil); !errors.Is(err, fence.ErrInvalid) {
			t.Errorf("a key of %d bytes: %v; want invalid", len(key), err)
		}
	}
}
