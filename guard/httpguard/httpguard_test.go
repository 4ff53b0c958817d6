package httpguard_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/guardtest"
	"github.com/ringfence-go/ringfence/guard/httpguard"
)

// receiver keeps one text and its mark under one lock, which is its transaction.
type receiver struct {
	rule   guard.Rule
	maxAge time.Duration
	mu     sync.Mutex
	mark   guard.Mark
	last   map[fence.Token]guard.Mark // of each term
	text   string
}

func limit() fence.Token { return fence.FutureLimit(fence.TickOf(time.Now())) }

func (p *receiver) put(rw http.ResponseWriter, r *http.Request, w guard.Write) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		httpguard.Answer(rw, fence.Verdict{Outcome: fence.Unavailable}, err)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	next, v := guard.DecideFresh(p.rule, p.mark, w, limit(), guard.Freshness{MaxAge: p.maxAge, Now: time.Now()})
	if v.Outcome == fence.Admitted && string(body) == "unwritable" {
		http.Error(rw, "the disk is full", http.StatusInsufficientStorage) // says nothing of a verdict
		return
	}
	switch {
	case v.Outcome == fence.Admitted:
		p.text, p.last[w.Fence.Token] = string(body), next
	case v.Cause == fence.Superseded:
		last := p.last[w.Fence.Token]
		v = guard.Landed(v, w, last.Seq, last.Key)
	}
	p.mark = next
	httpguard.Answer(rw, v, v.Err())
}

func (p *receiver) begin(rw http.ResponseWriter, _ *http.Request, w guard.Write) {
	p.mu.Lock()
	defer p.mu.Unlock()
	next, v := guard.Establish(p.mark, w.Fence, limit())
	p.mark = next
	httpguard.Answer(rw, v, v.Err())
}

func (p *receiver) serve(t *testing.T, h httpguard.Handler) *httptest.Server {
	mux := http.NewServeMux()
	mux.Handle("PUT /text", h.Wrap(p.put))
	mux.Handle("POST /term", h.Wrap(p.begin))
	mux.HandleFunc("GET /text", func(rw http.ResponseWriter, _ *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		_, _ = io.WriteString(rw, p.text)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// client is the other end.
type client struct {
	*http.Client
	url string
}

func (c client) Establish(ctx context.Context, f fence.Fence) (fence.Verdict, error) {
	return c.send(ctx, http.MethodPost, "/term", guard.Write{Fence: f}, "")
}

func (c client) Write(ctx context.Context, w guard.Write, value string) (fence.Verdict, error) {
	return c.send(ctx, http.MethodPut, "/text", w, value)
}

func (c client) send(ctx context.Context, method, path string, w guard.Write, body string) (fence.Verdict, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.url+path, strings.NewReader(body))
	if err != nil {
		return fence.Verdict{}, err
	}
	answer, v, err := httpguard.Do(c.Client, r, w)
	if answer != nil {
		_ = answer.Body.Close()
	}
	return v, err
}

func (c client) Read(ctx context.Context) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+"/text", nil)
	if err != nil {
		return "", err
	}
	answer, err := c.Do(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return string(text), err
}

// Now is the receiver's clock, since both stand on one machine.
func (c client) Now(context.Context) (time.Time, error) { return time.Now(), nil }

func TestAcrossHTTP(t *testing.T) {
	key, err := fence.NewKey("k1", "prod", fence.Ed25519)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := fence.NewKeyring("texts", key)
	if err != nil {
		t.Fatal(err)
	}
	sign := func(_ context.Context, w guard.Write) (string, error) {
		return key.Sign(fence.Claim{Fence: w.Fence, Audience: "texts", NotAfter: time.Now().Add(time.Hour)})
	}
	for _, signed := range []bool{false, true} {
		for _, rule := range []guard.Rule{guard.Once, guard.Sequenced, guard.Latest} {
			t.Run(map[bool]string{false: "plain/", true: "signed/"}[signed]+rule.String(), func(t *testing.T) {
				open := func(lease string, maxAge time.Duration) client {
					h, transport := httpguard.Handler{Lease: lease}, httpguard.Transport{}
					if signed {
						h.Keys, transport.Sign = keys, sign
					}
					p := &receiver{rule: rule, maxAge: maxAge, mark: guard.Mark{Lease: lease}, last: map[fence.Token]guard.Mark{}}
					return client{&http.Client{Transport: transport}, p.serve(t, h).URL}
				}
				guardtest.Run(t, guardtest.Target{
					Rule: rule, Establishes: true, Keys: true, Unwritable: "unwritable",
					Open: func(_ context.Context, lease string) (guardtest.Resource, error) { return open(lease, 0), nil },
					Aging: func(_ context.Context, lease string, maxAge time.Duration) (guardtest.Aging, error) {
						return open(lease, maxAge), nil
					},
				})
			})
		}
	}
}

// TestWhatIsNoFenceStopsAtTheDoor sends what no guard would admit, by hand.
func TestWhatIsNoFenceStopsAtTheDoor(t *testing.T) {
	t.Parallel()
	key, _ := fence.NewKey("k1", "prod", fence.HMACSHA256)
	keys, err := fence.NewKeyring("texts", key)
	if err != nil {
		t.Fatal(err)
	}
	f := fence.Fence{Name: "nightly", Token: 7}
	signature, err := key.Sign(fence.Claim{Fence: f, Audience: "texts", NotAfter: time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	var counter guard.Counter
	reached := 0
	h := httpguard.Handler{Keys: keys, Lease: "nightly", Counter: &counter}.Wrap(func(rw http.ResponseWriter, _ *http.Request, w guard.Write) {
		reached++
		if w != (guard.Write{Fence: f, Seq: 3, Key: "a b"}) {
			t.Errorf("the handler got %+v", w)
		}
		httpguard.Answer(rw, fence.Verdict{Outcome: fence.Admitted, Fence: f, Mark: 7}, nil)
	})
	send := func(headers ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodPost, "/payouts", nil)
		for i := 0; i < len(headers); i += 2 {
			r.Header.Add(headers[i], headers[i+1])
		}
		rw := httptest.NewRecorder()
		h.ServeHTTP(rw, r)
		return rw
	}
	good := []string{httpguard.FenceHeader, f.String(), httpguard.SignatureHeader, signature, httpguard.SeqHeader, "3", httpguard.KeyHeader, "a%20b"}
	if rw := send(good...); rw.Code != http.StatusNoContent || rw.Header().Get(httpguard.VerdictHeader) != "admitted" || reached != 1 {
		t.Errorf("%d %v", rw.Code, rw.Header())
	}
	other := fence.Fence{Name: "other", Token: 7}
	forged, _ := key.Sign(fence.Claim{Fence: other, Audience: "texts", NotAfter: time.Now().Add(time.Hour)})
	for what, headers := range map[string][]string{
		"no fence":      good[2:],
		"no signature":  {good[0], good[1]},
		"two fences":    append([]string{httpguard.FenceHeader, f.String()}, good...),
		"two keys":      append([]string{httpguard.KeyHeader, "x"}, good...),
		"another token": append([]string{httpguard.FenceHeader, "rf1:8:nightly"}, good[2:]...),
		"another lease": {httpguard.FenceHeader, other.String(), httpguard.SignatureHeader, forged},
		"token 1e3":     append([]string{httpguard.FenceHeader, "rf1:1e3:nightly"}, good[2:]...),
		"a huge fence":  append([]string{httpguard.FenceHeader, strings.Repeat("9", 1<<20)}, good[2:]...),
		"seq 0":         append(good[:4:4], httpguard.SeqHeader, "0"),
		"seq 05":        append(good[:4:4], httpguard.SeqHeader, "05"),
		"seq 2^53":      append(good[:4:4], httpguard.SeqHeader, "9007199254740992"),
		"a bad key":     append(good[:4:4], httpguard.KeyHeader, "%zz"),
		"a long key":    append(good[:4:4], httpguard.KeyHeader, strings.Repeat("k", 257)),
	} {
		before := counter.Refusals()[fence.Invalid]
		rw := send(headers...)
		if rw.Code != http.StatusBadRequest || rw.Header().Get(httpguard.VerdictHeader) != "invalid" || rw.Body.Len() > 800 || reached != 1 {
			t.Errorf("%s: %d %v %s", what, rw.Code, rw.Header(), rw.Body)
		}
		if counter.Refusals()[fence.Invalid] != before+1 {
			t.Errorf("%s: not counted", what)
		}
	}
}

func TestForgeriesStopAtTheDoor(t *testing.T) {
	t.Parallel()
	key, _ := fence.NewKey("k1", "prod", fence.Ed25519)
	keys, err := fence.NewKeyring("texts", key.Verifier())
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	forged, err := guardtest.Forgeries(key, fence.Claim{Fence: fence.Fence{Name: "nightly", Token: 7}, Audience: "texts", NotAfter: now.Add(time.Hour)}, now)
	if err != nil {
		t.Fatal(err)
	}
	h := httpguard.Handler{Keys: keys}.Wrap(func(http.ResponseWriter, *http.Request, guard.Write) { t.Error("the handler was reached") })
	for _, f := range forged {
		r := httptest.NewRequest(http.MethodPost, "/payouts", nil)
		r.Header = http.Header{httpguard.FenceHeader: {f.Fence}, httpguard.SignatureHeader: {f.Signature}}
		rw := httptest.NewRecorder()
		h.ServeHTTP(rw, r)
		if rw.Code != http.StatusBadRequest || rw.Header().Get(httpguard.VerdictHeader) != f.Cause.String() || rw.Body.Len() > 800 {
			t.Errorf("%s: %d %v %s", f.What, rw.Code, rw.Header(), rw.Body)
		}
	}
}

// A number that no authority can have issued never reaches the handler.
func TestFutureStopsAtTheDoor(t *testing.T) {
	t.Parallel()
	var counter guard.Counter
	h := httpguard.Handler{Counter: &counter}.Wrap(func(http.ResponseWriter, *http.Request, guard.Write) { t.Error("the handler was reached") })
	r := httptest.NewRequest(http.MethodPost, "/payouts", nil)
	r.Header.Set(httpguard.FenceHeader, fence.Fence{Name: "nightly", Token: limit() + fence.TokensPerTick*60_000}.String())
	rw := httptest.NewRecorder()
	h.ServeHTTP(rw, r)
	if rw.Code != http.StatusBadRequest || rw.Header().Get(httpguard.VerdictHeader) != "future" || counter.Refusals()[fence.Future] != 1 {
		t.Errorf("%d %v", rw.Code, rw.Header())
	}
}

func TestStatusOfEachVerdict(t *testing.T) {
	t.Parallel()
	for want, v := range map[int]fence.Verdict{
		204: {Outcome: fence.Duplicate}, 412: {Outcome: fence.Refused, Cause: fence.Superseded, Mark: 9}, 428: {Outcome: fence.Refused, Cause: fence.NotEstablished},
		409: {Outcome: fence.Refused, Cause: fence.OutOfSequence}, 400: {Outcome: fence.Refused, Cause: fence.Future}, 503: {Outcome: fence.Unavailable}, 500: {},
	} {
		rw := httptest.NewRecorder()
		httpguard.Answer(rw, v, v.Err())
		answer := rw.Result()
		answer.Request = httptest.NewRequest(http.MethodPost, "/x", nil)
		got := httpguard.Verdict(answer)
		if rw.Code != want || got.Outcome != v.Outcome || got.Cause != v.Cause || got.Mark != v.Mark {
			t.Errorf("%v: %d, read as %v", v, rw.Code, got)
		}
	}
	rw := httptest.NewRecorder()
	httpguard.Answer(rw, fence.Verdict{Outcome: fence.Admitted}, errors.New("password in the text"))
	if rw.Code != http.StatusInternalServerError || strings.Contains(rw.Body.String(), "password") {
		t.Errorf("%d %s", rw.Code, rw.Body)
	}
}

func TestNoFenceFollowsARedirection(t *testing.T) {
	t.Parallel()
	var leaked string
	elsewhere := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set(httpguard.VerdictHeader, "admitted") // of which it can't know
		rw.Header().Set("Ringfence-Mark", "9")
		leaked += r.Header.Get(httpguard.FenceHeader)
		if r.URL.Path != "/second" { // and once more, which is no other host any longer
			http.Redirect(rw, r, "/second", http.StatusTemporaryRedirect)
		}
	}))
	t.Cleanup(elsewhere.Close)
	here := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	t.Cleanup(here.Close)
	c := client{&http.Client{Transport: httpguard.Transport{}}, here.URL}
	v, err := c.Write(t.Context(), guard.Write{Fence: fence.Fence{Name: "nightly", Token: 7}}, "x")
	if leaked != "" || v.OK() || v.Mark != 0 || !errors.Is(err, guard.ErrUnknown) {
		t.Errorf("%q leaked; %v, %v", leaked, v, err)
	}
}

func TestNoFenceLeavesTLS(t *testing.T) {
	t.Parallel()
	sent := make(map[string]string)
	record := func(r *http.Request) (*http.Response, error) {
		sent[r.URL.String()] = r.Header.Get(httpguard.FenceHeader)
		rw := httptest.NewRecorder()
		if r.URL.Scheme == "https" {
			http.Redirect(rw, r, "http://receiver/x", http.StatusTemporaryRedirect)
		}
		answer := rw.Result()
		answer.Request = r
		return answer, nil
	}
	c := client{&http.Client{Transport: httpguard.Transport{Base: roundTripper(record)}}, "https://receiver"}
	if v, err := c.Write(t.Context(), guard.Write{Fence: fence.Fence{Name: "nightly", Token: 7}}, "x"); v.OK() || len(sent) != 2 || sent["http://receiver/x"] != "" {
		t.Errorf("%v, %v; sent %v", v, err, sent)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestWhoIsNotThereIsUnavailable(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	c := client{&http.Client{Transport: httpguard.Transport{}}, gone.URL}
	if v, err := c.Write(t.Context(), guard.Write{Fence: fence.Fence{Name: "nightly", Token: 7}}, "x"); v.Outcome != fence.Unavailable || !errors.Is(err, guard.ErrUnavailable) {
		t.Errorf("%v, %v", v, err)
	}
}

// TestLostBehindARedirectionIsUnknown: the receiver applied the write and sent its client on
// to a page that nobody serves. That no connection to it could be made says nothing about
// the write.
func TestLostBehindARedirectionIsUnknown(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	applied := httptest.NewServer(http.RedirectHandler(gone.URL, http.StatusSeeOther))
	t.Cleanup(applied.Close)
	c := client{&http.Client{Transport: httpguard.Transport{}}, applied.URL}
	if v, err := c.Write(t.Context(), guard.Write{Fence: fence.Fence{Name: "nightly", Token: 7}}, "x"); v.Outcome != fence.Unknown || !errors.Is(err, guard.ErrUnknown) {
		t.Errorf("%v, %v; want unknown", v, err)
	}
}
