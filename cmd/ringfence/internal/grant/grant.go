//go:build linux || darwin

// Package grant keeps a lease in a file, so that the steps of a script hold it one after
// the other. The file holds the attempt, and so the right to renew and release the term.
package grant

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/private"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// Grant is a lease with where and when it was granted.
type Grant struct {
	ringfence.Grant
	// Store is the label of the store that granted it.
	Store string
	// Uptime is how long this machine had been up at Sent. Unlike Sent, nobody sets it.
	Uptime time.Duration
}

// Of is the lease as it stands, granted by the store of that label.
func Of(store string, lease *ringfence.Lease) Grant {
	g := Grant{Grant: lease.Grant(), Store: store}
	g.Uptime = uptime() - (g.Trust - lease.Remaining())
	return g
}

// Age is how long ago Sent was, by the clock of this machine that nobody sets. It is
// longer than any lease where the machine has been started anew since.
func (g Grant) Age() time.Duration {
	age := uptime() - g.Uptime
	if age < 0 {
		return driver.MaxTTL + time.Second
	}
	return age
}

// TrustedUntil is the end of its holder's trust, on a wall clock that wasn't set meanwhile.
func (g Grant) TrustedUntil() time.Time { return g.Sent.Add(g.Trust) }

// Remaining is how long trust still lasts, on whichever clock has moved more.
func (g Grant) Remaining() time.Duration { return g.Trust - max(g.Age(), time.Since(g.Sent)) }

// record is the text of a file. Whoever wants to know of its trust reads trusted_until.
type record struct {
	Version      int         `json:"version"`
	Store        string      `json:"store"`
	Name         string      `json:"name"`
	Token        fence.Token `json:"token"`
	Attempt      string      `json:"attempt"`
	Holder       string      `json:"holder"`
	Lease        string      `json:"lease"`
	TrustedUntil time.Time   `json:"trusted_until"`
	Sent         time.Time   `json:"sent"`
	SentUptime   string      `json:"sent_uptime"`
}

const version = 1

func (g Grant) text() []byte {
	text, _ := json.MarshalIndent(record{
		version, g.Store, g.Fence.Name, g.Fence.Token, g.Attempt, g.Holder,
		g.TTL.String(), g.TrustedUntil().UTC(), g.Sent.UTC(), g.Uptime.String(),
	}, "", "  ")
	return append(text, '\n')
}

func parse(path string, text []byte) (Grant, error) {
	var r record
	err := json.Unmarshal(text, &r)
	if err == nil && r.Version != version {
		err = fmt.Errorf("it is of version %d", r.Version)
	}
	g := Grant{Store: r.Store}
	g.Fence, g.Attempt, g.Holder = fence.Fence{Name: r.Name, Token: r.Token}, r.Attempt, r.Holder
	g.Sent, g.Trust = r.Sent, r.TrustedUntil.Sub(r.Sent)
	if err == nil {
		g.TTL, err = time.ParseDuration(r.Lease)
	}
	if err == nil {
		g.Uptime, err = time.ParseDuration(r.SentUptime)
	}
	if err == nil {
		err = driver.Term{Fence: g.Fence, Attempt: g.Attempt}.Check()
	}
	if err != nil {
		return g, fmt.Errorf("%w grant file %q: it is not one that ringfence acquire has written: %w", fence.ErrInvalid, path, err)
	}
	return g, nil
}

var grantFile = private.Kind{
	Noun:    "grant file",
	Absent:  "ringfence acquire makes one, and ringfence release takes it away",
	Present: "somebody else has just written it",
	Exposed: "break the term where somebody may have read it",
}

// ErrInUse: the file holds a grant whose trust is not over.
var ErrInUse = errors.New("it holds a grant that is still trusted")

// Clear makes way for a new grant at path: it takes away one whose trust is over, and
// returns it. One that is still trusted is returned with ErrInUse. A file that isn't there
// is an empty Grant.
func Clear(ctx context.Context, path string) (Grant, error) {
	if there, err := grantFile.Exists(path); err != nil || !there {
		return Grant{}, err
	}
	held, err := Take(ctx, path)
	if err != nil {
		return Grant{}, err
	}
	defer held.Close()
	if held.Remaining() > 0 {
		return held.Grant, ErrInUse
	}
	return held.Grant, held.Remove()
}

// Create writes g to a file that must not be there yet.
func Create(path string, g Grant) error { return grantFile.Create(path, g.text()) }

// Held is a grant whose file nobody else changes until it is closed.
type Held struct {
	Grant
	*private.Locked
}

// Take reads the file for a step of its holder.
func Take(ctx context.Context, path string) (*Held, error) {
	f, err := grantFile.Lock(ctx, path)
	if err != nil {
		return nil, err
	}
	text, err := f.Read()
	if err == nil {
		var g Grant
		if g, err = parse(path, text); err == nil {
			return &Held{g, f}, nil
		}
	}
	_ = f.Close()
	return nil, err
}

// Write puts g in the place of what the file held.
func (h *Held) Write(g Grant) error { return h.Replace(g.text()) }
