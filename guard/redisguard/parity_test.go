package redisguard_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/redisguard"
	"github.com/ringfence-go/ringfence/internal/realserver"
)

// step is one judgement: of a write, or of the start of a term where rule is 0.
type step struct {
	rule  guard.Rule
	mark  guard.Mark
	write guard.Write
	fresh guard.Freshness // a MaxAge of 0 calls the function that knows none
}

const far = fence.MaxToken // beyond every clock's limit

// steps are all that differ in what the decision looks at.
func steps() (all []step) {
	tokens := []fence.Token{0, 5, 6, 7, far}
	marks := []guard.Mark{{}, {Lease: "job"}, {Lease: "job", Token: 6}, {Lease: "other", Token: 6}, {Lease: "job", Token: far}}
	for seq := uint64(1); seq <= 3; seq++ {
		marks = append(marks, guard.Mark{Lease: "job", Token: 6, Seq: seq, Key: "a"})
	}
	writes := []guard.Write{
		{Fence: fence.Fence{Name: "", Token: 6}, Seq: 1, Key: "a"}, {Fence: fence.Fence{Name: strings.Repeat("n", 513), Token: 6}, Seq: 1, Key: "a"},
		{Fence: fence.Fence{Name: "a\nb", Token: 6}, Key: "a"}, {Fence: fence.Fence{Name: " job", Token: 6}, Key: "a"},
		{Fence: fence.Fence{Name: "job", Token: 6}, Seq: 1, Key: strings.Repeat("k", 257)}, {Fence: fence.Fence{Name: "job", Token: 6}, Key: "a\x00"},
		{Fence: fence.Fence{Name: "job", Token: -1}, Key: "a"}, {Fence: fence.Fence{Name: "job", Token: far + 1}, Key: "a"},
		{Fence: fence.Fence{Name: "job", Token: 6}, Seq: guard.MaxSeq + 1, Key: "a"}, {Fence: fence.Fence{Name: "job", Token: 6}, Seq: guard.MaxSeq, Key: "a"},
	}
	aging := []guard.Write{}
	for _, token := range tokens {
		for seq := range uint64(5) {
			for _, key := range []string{"", "a", "b"} {
				w := guard.Write{Fence: fence.Fence{Name: "job", Token: token}, Seq: seq, Key: key}
				writes = append(writes, w)
				if seq < 3 && token != 0 {
					aging = append(aging, aged(w)...)
				}
			}
		}
	}
	for _, rule := range []guard.Rule{0, guard.Once, guard.Sequenced, guard.Latest, 9} {
		for _, mark := range marks {
			for _, write := range writes {
				all = append(all, step{rule: rule, mark: mark, write: write})
			}
			for _, write := range aging {
				if rule.Check() == nil {
					all = append(all, step{rule, mark, write, guard.Freshness{MaxAge: time.Hour, Now: time.Now()}})
				}
			}
		}
	}
	return all
}

// aged is w with inputs of each age that a limit of an hour tells apart.
func aged(w guard.Write) (all []guard.Write) {
	for _, age := range []time.Duration{0, 2 * time.Hour, -2 * time.Hour} {
		w.AsOf = time.Now().Add(-age)
		all = append(all, w)
	}
	for _, at := range []time.Time{{}, time.UnixMilli(-1), time.UnixMilli(1), time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)} {
		w.AsOf = at
		all = append(all, w)
	}
	return all
}

// want is what package guard says. The clock's limit lies between 7 and far.
func (s step) want() (guard.Mark, fence.Verdict) {
	if s.rule == 0 {
		return guard.Establish(s.mark, s.write.Fence, 1<<40)
	}
	return guard.DecideFresh(s.rule, s.mark, s.write, 1<<40, s.fresh)
}

// send queues the step on keys of its own: the mark as it is, the call, and the
// mark as it is then.
func (s step) send(t *testing.T, p redis.Pipeliner, i int) (answer, after *redis.Cmd) {
	key := fmt.Sprint("{parity}:", i)
	if m := s.mark; m.Token != 0 {
		p.HSet(t.Context(), key, "lease", m.Lease, "token", m.Token.String(), "seq", m.Seq, "key", m.Key)
	} else if m.Lease != "" {
		p.HSet(t.Context(), key, "lease", m.Lease)
	}
	w := s.write
	args := []any{"FCALL", "ringfence_establish", 2, key, key + ":terms", w.Fence.Name, w.Fence.Token.String()}
	switch {
	case s.fresh.MaxAge > 0:
		asOf := "0"
		if !w.AsOf.IsZero() {
			asOf = fmt.Sprint(w.AsOf.UnixMilli())
		}
		args = []any{"FCALL", "ringfence_admit_fresh", 2, key, key + ":terms", s.rule.String(), w.Fence.Name, w.Fence.Token.String(),
			w.Seq, w.Key, asOf, s.fresh.MaxAge.Milliseconds(), 3, "SET", key + ":data", "written"}
	case s.rule != 0:
		args = []any{"FCALL", "ringfence_admit", 2, key, key + ":terms", s.rule.String(), w.Fence.Name, w.Fence.Token.String(),
			w.Seq, w.Key, 3, "SET", key + ":data", "written"}
	}
	answer = p.Do(t.Context(), args...)
	return answer, p.Do(t.Context(), "EVAL", "local v = redis.call('HMGET', KEYS[1], 'lease', 'token', 'seq', 'key')"+
		" return {v[1] or '', v[2] or '0', v[3] or '0', v[4] or '', redis.call('GET', KEYS[1] .. ':data') or ''}", 1, key)
}

func (s step) check(t *testing.T, answer, after *redis.Cmd) {
	t.Helper()
	mark, v := s.want()
	cause := v.Cause.String()
	if v.Cause == fence.NoCause {
		cause = ""
	}
	got, err := answer.StringSlice()
	if err != nil || got[0] != v.Outcome.String() || got[1] != cause || got[2] != v.Mark.String() {
		t.Errorf("%+v:\nthe library answers %q, %v; package guard %v", s, got, err, v)
	}
	data := ""
	if v.Outcome == fence.Admitted && s.rule != 0 {
		data = "written"
	}
	want := fmt.Sprintf("%q", []string{mark.Lease, mark.Token.String(), fmt.Sprint(mark.Seq), mark.Key, data})
	if left, err := after.StringSlice(); fmt.Sprintf("%q", left) != want {
		t.Errorf("%+v:\nleft %q, %v; want %s", s, left, err, want)
	}
}

func TestLibraryDecidesAsPackageGuard(t *testing.T) {
	t.Parallel()
	server := realserver.NewRedis(t, nil)
	client := dial(t, server.Addr(), server, false)
	if err := redisguard.Load(t.Context(), client); err != nil {
		t.Fatal(err)
	}
	all := steps()
	for begin := 0; begin < len(all); begin += 500 {
		some := all[begin:min(begin+500, len(all))]
		answers, afters := make([]*redis.Cmd, len(some)), make([]*redis.Cmd, len(some))
		_, _ = client.Pipelined(t.Context(), func(p redis.Pipeliner) error {
			for i, s := range some {
				answers[i], afters[i] = s.send(t, p, begin+i)
			}
			return nil
		})
		for i, s := range some {
			s.check(t, answers[i], afters[i])
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d steps", len(all))
}

// Random walks on one resource, through the Go API, against the pure decision:
// what enumeration leaves out is what one step leaves for the next.
func TestGuardDecidesAsPackageGuard(t *testing.T) {
	t.Parallel()
	server := realserver.NewRedis(t, nil)
	client := dial(t, server.Addr(), server, false)
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	for _, rule := range []guard.Rule{guard.Once, guard.Sequenced, guard.Latest} {
		g, err := redisguard.New(client, rule.String(), rule, nil)
		if err != nil {
			t.Fatal(err)
		}
		var mark guard.Mark
		for range 400 {
			w := guard.Write{Fence: fence.Fence{Name: "job", Token: mark.Token + fence.Token(r.IntN(4)-1)}, Key: string(rune('a' + r.IntN(3)))}
			if rule == guard.Sequenced {
				w.Seq = mark.Seq + uint64(r.IntN(3))
			}
			var want, got fence.Verdict
			if r.IntN(5) == 0 {
				mark, want = guard.Establish(mark, w.Fence, fence.MaxToken)
				got, _ = g.Establish(t.Context(), w.Fence)
			} else {
				mark, want = guard.Decide(rule, mark, w, fence.MaxToken)
				got, _ = g.Do(t.Context(), w, redisguard.Command{"INCR", "{" + rule.String() + "}:data"})
			}
			want.Resource, got.Landed = rule.String(), false
			if want.Cause == fence.Invalid {
				want.Mark = got.Mark // it was not asked
			}
			if got != want {
				t.Fatalf("seed %d, %s, %+v: %v; want %v", seed, rule, w, got, want)
			}
		}
	}
}
