package etcdguard

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// state is the mark at one revision, and the last write of the term in question.
type state struct {
	mark    guard.Mark
	mod     int64 // revision of the mark's key; 0 where there is none
	read    bool  // not made up
	lastSeq uint64
	lastKey string
}

// markKey holds the lease, the token, the seq and the key, a line each. The
// lease has no line break and the token always 16 digits, so that values of one
// lease compare as their tokens do.
func (g *Guard) markKey() string { return g.o.Prefix + "mark/" + g.resource }

// lastKey holds the last write of a term, under the rule Sequenced. Tokens come
// first, so that the terms below one of them are a range.
func (g *Guard) lastKey(t fence.Token) string {
	return g.o.Prefix + "last/" + padded(t) + "/" + g.resource
}

// padded has as many digits for every token. The highest has 16.
func padded(t fence.Token) string { return fmt.Sprintf("%016d", int64(t)) }

func encode(m guard.Mark) string {
	return m.Lease + "\n" + padded(m.Token) + "\n" + strconv.FormatUint(m.Seq, 10) + "\n" + m.Key
}

func decode(text string) (guard.Mark, error) {
	lines := strings.SplitN(text, "\n", 4)
	bad := failure{guard.ErrUnfit, errors.New("the mark is not one that this guard writes"), "nothing else may write below the guard's prefix"}
	if len(lines) != 4 {
		return guard.Mark{}, bad
	}
	token, err1 := strconv.ParseInt(lines[1], 10, 64)
	seq, err2 := strconv.ParseUint(lines[2], 10, 64)
	if err1 != nil || err2 != nil || !fence.Token(token).Valid() {
		return guard.Mark{}, bad
	}
	return guard.Mark{Lease: lines[0], Token: fence.Token(token), Seq: seq, Key: lines[3]}, nil
}

func (g *Guard) guess() state {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.known.read {
		return state{mark: guard.Mark{Lease: g.o.Lease}}
	}
	return g.known
}

func (g *Guard) remember(s state) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s.mod >= g.known.mod {
		g.known = s
	}
}

// forget drops what is known, where it may no longer be so.
func (g *Guard) forget() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.known = state{}
}

func (g *Guard) gets(t fence.Token) []clientv3.Op {
	return []clientv3.Op{clientv3.OpGet(g.markKey()), clientv3.OpGet(g.lastKey(t))}
}

// load reads the mark, and the last write of the term of token t.
func (g *Guard) load(ctx context.Context, t fence.Token) (state, error) {
	resp, err := g.send(ctx, nil, g.gets(t), nil)
	if err != nil {
		return state{}, unsent(err)
	}
	return g.found(resp.Responses)
}

func (g *Guard) found(answers []*etcdserverpb.ResponseOp) (state, error) {
	s := state{mark: guard.Mark{Lease: g.o.Lease}, read: true}
	for _, kv := range answers[0].GetResponseRange().Kvs {
		var err error
		if s.mark, err = decode(string(kv.Value)); err != nil {
			return s, err
		}
		if s.mod = kv.ModRevision; g.o.Lease != "" {
			// A mark of another lease: every fence is for the wrong one.
			if s.mark.Lease != g.o.Lease {
				return s, failure{guard.ErrUnfit, fmt.Errorf("the mark belongs to lease %s, not to %s",
					fence.Quote(s.mark.Lease), fence.Quote(g.o.Lease)), "guard another resource, or with that lease"}
			}
		}
	}
	for _, kv := range answers[1].GetResponseRange().Kvs {
		seq, key, _ := strings.Cut(string(kv.Value), "\n")
		s.lastSeq, _ = strconv.ParseUint(seq, 10, 64)
		s.lastKey = key
	}
	g.remember(s)
	return s, nil
}

// replace puts next in the place of the mark at, with ops. Where the mark is
// another one by now, it changes nothing and returns that.
func (g *Guard) replace(ctx context.Context, at state, next guard.Mark, w guard.Write, ops []clientv3.Op) (*state, error) {
	then := append([]clientv3.Op{}, ops...)
	if next != at.mark {
		then = append(then, clientv3.OpPut(g.markKey(), encode(next)))
	}
	if g.rule == guard.Sequenced && next.Seq > 0 && next != at.mark {
		then = append(then, clientv3.OpPut(g.lastKey(next.Token), strconv.FormatUint(next.Seq, 10)+"\n"+next.Key))
	}
	same := clientv3.Compare(clientv3.ModRevision(g.markKey()), "=", at.mod)
	resp, err := g.send(ctx, []clientv3.Cmp{same}, then, g.gets(w.Fence.Token))
	if err != nil {
		g.forget()
		return nil, err
	}
	if resp.Succeeded {
		if next != at.mark {
			at.mod = resp.Header.Revision
		}
		g.remember(state{mark: next, mod: at.mod, read: true})
		return nil, nil
	}
	now, err := g.found(resp.Responses)
	return &now, unsent(err)
}
