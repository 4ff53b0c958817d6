package casguard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// header is the first line of a guarded object. The data begins after it.
type header struct {
	Format int         `json:"ringfence"`
	Lease  string      `json:"lease"`
	Token  fence.Token `json:"token"`
	Seq    uint64      `json:"seq,omitempty"`
	Key    string      `json:"key,omitempty"`
	// Nonce makes each value another one, and with it a version that is a digest. Was is the nonce of
	// the object before.
	Nonce string `json:"nonce"`
	Was   string `json:"was,omitempty"`
}

const format = 1

// state is a guarded object as it was read.
type state struct {
	Object
	mark guard.Mark
	head header
}

// load reads the guarded object.
func (g *Guard) load(ctx context.Context) (state, error) {
	s := state{mark: guard.Mark{Lease: g.o.Lease}}
	var err error
	if s.Object, err = g.get(ctx, g.key); err != nil || s.Version == "" {
		return s, err
	}
	line, data, ok := bytes.Cut(s.Data, []byte("\n"))
	if !ok || json.Unmarshal(line, &s.head) != nil || s.head.Format != format || !s.head.Token.Valid() || s.head.Nonce == "" {
		return s, unfit(errors.New("it does not begin with a mark"), foreign)
	}
	if g.o.Lease != "" && s.head.Lease != g.o.Lease {
		return s, unfit(fmt.Errorf("its mark belongs to lease %s, not to %s", fence.Quote(s.head.Lease), fence.Quote(g.o.Lease)),
			"guard another object, or with that lease")
	}
	s.Data, s.mark = data, guard.Mark{Lease: s.head.Lease, Token: s.head.Token, Seq: s.head.Seq, Key: s.head.Key}
	return s, nil
}

// replace puts an object with the mark next in the place of s.
func (g *Guard) replace(ctx context.Context, s state, next guard.Mark, nonce string, data []byte) error {
	line, err := json.Marshal(header{
		Format: format, Lease: next.Lease, Token: next.Token, Seq: next.Seq, Key: next.Key, Nonce: nonce, Was: s.head.Nonce,
	})
	if err != nil {
		return unsent(err)
	}
	if g.rule == guard.Sequenced && next.Token > s.mark.Token && s.mark.Seq > 0 {
		if err := g.keepLast(ctx, s.mark); err != nil {
			return unsent(err)
		}
	}
	return g.put(ctx, g.key, s.Version, append(append(line, '\n'), data...))
}

// last is the last write of a term that has been superseded. It stays for ever, in an
// object of its own, so that the term's holder can be told what had landed.
type last struct {
	Seq uint64 `json:"seq"`
	Key string `json:"key"`
}

// lastKey is where the last write of a term is kept.
func (g *Guard) lastKey(t fence.Token) string { return fmt.Sprintf("%s.terms/%016d", g.key, int64(t)) }

// keepLast notes the last write of a term before its mark is replaced. A note never
// falls, so that of two who replace the mark the one who read it earlier does no harm.
func (g *Guard) keepLast(ctx context.Context, m guard.Mark) error {
	body, err := json.Marshal(last{Seq: m.Seq, Key: m.Key})
	if err != nil {
		return err
	}
	for turn := range mostTurns {
		if err := pause(ctx, turn); err != nil {
			return err
		}
		at, version, err := g.findLast(ctx, m.Token)
		if err != nil || at.Seq >= m.Seq {
			return err
		}
		if err = g.put(ctx, g.lastKey(m.Token), version, body); err == nil || !errors.Is(judge(err).Kind, guard.ErrRetry) {
			return err
		}
	}
	return &guard.Error{Kind: guard.ErrUnavailable, Err: errBusy, Hint: "nothing is applied"}
}

// findLast reads the note of a term's last write. Without one it is zero.
func (g *Guard) findLast(ctx context.Context, t fence.Token) (l last, version string, err error) {
	o, err := g.get(ctx, g.lastKey(t))
	if err != nil || o.Version == "" {
		return l, "", err
	}
	if json.Unmarshal(o.Data, &l) != nil {
		return l, "", unfit(errors.New("the note of a term's last write is not one of this guard"), foreign)
	}
	return l, o.Version, nil
}
