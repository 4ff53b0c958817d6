package zkstore

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

// Examine says what decides whether the ensemble at an address can host leases under
// the options o, finding by finding. It works where Open refuses, and changes nothing.
// It does not look at the leader's clock, which ZooKeeper shows in writes alone. The
// error says that no server could be asked at all, and is one of the contract.
func Examine(ctx context.Context, address string, o *Options) ([]driver.Finding, error) {
	s, err := connect(address, o, time.Now)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	full, err := o.withDefaults(address)
	if err != nil {
		return nil, err
	}
	servers, _, err := split(address)
	if err != nil {
		return nil, err
	}
	return run(ctx, s, "examine", func(ctx context.Context) ([]driver.Finding, error) {
		e := examination{store: s, options: full, servers: servers}
		e.ask(ctx)
		if err := s.sync(ctx); err != nil && judge(err).Kind == driver.ErrUnavailable {
			return nil, err
		}
		all := []driver.Finding{e.version(), e.reach(), e.size(ctx), e.sessions()}
		return append(all, e.access(ctx)...), ctx.Err()
	})
}

// examination is an ensemble that is being looked at.
type examination struct {
	store   *Store
	options Options
	servers []string
	srvr    []string // what each server says of itself; "" where it does not answer
	conf    []string // and of its configuration
}

// ask asks all servers at once with the four-letter words, of which a server answers
// srvr unless it was told otherwise, and others only if it was told so.
func (e *examination) ask(ctx context.Context) {
	e.srvr, e.conf = make([]string, len(e.servers)), make([]string, len(e.servers))
	var all sync.WaitGroup
	for i, server := range e.servers {
		all.Go(func() { e.srvr[i] = e.word(ctx, server, "srvr") })
		all.Go(func() { e.conf[i] = e.word(ctx, server, "conf") })
	}
	all.Wait()
}

// word is the answer to a four-letter word, or "".
func (e *examination) word(ctx context.Context, server, word string) string {
	const patience = 2 * time.Second
	conn, err := e.options.Dial("tcp", server, patience)
	if err != nil {
		return ""
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	_ = conn.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(conn, word); err != nil {
		return ""
	}
	text, _ := io.ReadAll(io.LimitReader(conn, 1<<16))
	return string(text)
}

// value is what follows key in the first of the answers that has it, up to an end.
func value(answers []string, key, end string) string {
	for _, text := range answers {
		if _, rest, ok := strings.Cut(text, key); ok {
			v, _, _ := strings.Cut(rest, end)
			return v
		}
	}
	return ""
}

func (e *examination) version() driver.Finding {
	f := driver.Finding{Subject: "version", Grade: driver.Fit, Means: "has what the store uses"}
	v, _, _ := strings.Cut(value(e.srvr, "version: ", ","), "-")
	if v == "" {
		f.Grade, f.Found, f.Means = driver.Warning, "unknown: no server answers the word srvr", "ZooKeeper 3.6 or later is needed"
		f.Do = "look yourself, or add srvr to 4lw.commands.whitelist"
		return f
	}
	f.Found = "ZooKeeper " + v
	var major, minor int
	if n, _ := fmt.Sscanf(v, "%d.%d", &major, &minor); n == 2 && (major < 3 || major == 3 && minor < 6) {
		f.Grade, f.Means, f.Do = driver.Unfit, "lacks containers, in which waiters stand, or has bugs in them", oldServer
	}
	return f
}

// reach covers each server of the address.
func (e *examination) reach() driver.Finding {
	var down, idle, readOnly []string
	for i, text := range e.srvr {
		switch mode := value([]string{text}, "Mode: ", "\n"); {
		case text == "":
			down = append(down, e.servers[i])
		case strings.Contains(text, "not currently serving"):
			idle = append(idle, e.servers[i])
		case mode == "read-only":
			readOnly = append(readOnly, e.servers[i])
		}
	}
	f := driver.Finding{Subject: "servers", Grade: driver.Fit, Found: fmt.Sprintf("%d in the address, and all serve", len(e.servers)), Means: "each can take the session where another one is down"}
	set := func(found, means, do string) { f.Grade, f.Found, f.Means, f.Do = driver.Warning, found, means, do }
	switch {
	case len(readOnly) > 0:
		set("read-only: "+strings.Join(readOnly, ", "), "cut off from the quorum; no lease is granted there", "see why they do not reach the others")
	case len(idle) > 0:
		set("without a quorum: "+strings.Join(idle, ", "), "they serve nobody at the moment", "see why they do not reach the others")
	case len(down) > 0:
		set("no answer from "+strings.Join(down, ", "), "sessions go to the others; or srvr is not in 4lw.commands.whitelist", "start them, or take them from the address")
	case len(e.servers) == 1:
		f.Found, f.Means = "1 in the address, and it serves", "the client knows of no other one to turn to"
	}
	return f
}

// size is how many servers vote, as the ensemble's configuration says.
func (e *examination) size(ctx context.Context) driver.Finding {
	f := driver.Finding{Subject: "ensemble", Grade: driver.Fit, Means: "every grant is on the disks of a majority"}
	n, err := e.store.get(ctx, "/zookeeper/config")
	voters := strings.Count(string(n.data), ":participant")
	switch {
	case err != nil:
		f.Grade, f.Found, f.Means, f.Do = driver.Warning, "unknown: /zookeeper/config can't be read", "it should have three or five voters", "look yourself"
	case voters <= 1:
		f.Grade, f.Found = driver.Warning, "a single server"
		f.Means, f.Do = "while it is down nothing is granted; with its disk goes every record", "run three or five"
	case voters%2 == 0:
		f.Grade, f.Found = driver.Warning, fmt.Sprintf("%d voters", voters)
		f.Means, f.Do = "bears no more failures than with one voter less", "run three or five"
	default:
		f.Found = fmt.Sprintf("%d voters", voters)
	}
	return f
}

func (e *examination) sessions() driver.Finding {
	f := driver.Finding{Subject: "session", Grade: driver.Fit, Means: "how long a crashed waiter keeps its place in the line; no lease hangs on it"}
	asked := e.options.SessionTimeout
	var tick, least, most int
	_, err := fmt.Sscanf(value(e.conf, "tickTime=", "\n")+" "+value(e.conf, "minSessionTimeout=", "\n")+" "+
		value(e.conf, "maxSessionTimeout=", "\n"), "%d %d %d", &tick, &least, &most)
	if err != nil {
		f.Found = asked.String() + " is asked for; the ensemble's limits are unknown, since conf is not in 4lw.commands.whitelist"
		return f
	}
	granted := min(max(asked, time.Duration(least)*time.Millisecond), time.Duration(most)*time.Millisecond)
	f.Found = fmt.Sprintf("%s, with ticks of %d ms and limits of %d to %d ms", granted, tick, least, most)
	return f
}
