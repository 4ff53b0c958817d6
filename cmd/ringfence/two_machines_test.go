package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/journal"
	"github.com/ringfence-go/ringfence/journal/history"
)

var (
	tick    = flag.Duration("tick", 4*time.Second, "how long after each other the ticks of TestTwoMachines are")
	ticks   = flag.Int("ticks", 4, "how many ticks TestTwoMachines goes on for")
	picture = flag.String("picture", "", "`FILE` for the history that TestTwoMachines draws")
)

// cron is two machines with one line of cron: their ticks are a while apart, one run is
// paused beyond its lease at some of them, and the store is restarted at others.
type cron struct {
	t     *testing.T
	dir   string
	store string
	begun time.Time
}

// TestTwoMachines: one run a tick, however the ticks lie, and the record shows just the
// paused ones as suspect. With -tick 1m -ticks 20 it goes on for twenty minutes.
func TestTwoMachines(t *testing.T) {
	t.Parallel()
	pg := realserver.NewPostgres(t, nil)
	c := cron{t: t, dir: t.TempDir(), store: pg.URL("postgres"), begun: time.Now().Add(*tick / 4)}
	var machines sync.WaitGroup
	for machine, late := range map[string]time.Duration{"left": 0, "right": *tick / 13} {
		for n := range *ticks {
			machines.Go(func() {
				c.await(n, late)
				c.run(machine, n)
			})
		}
	}
	for n := range *ticks {
		switch {
		case paused(n):
			c.await(n+1, *tick/2)
			c.signal(n, syscall.SIGCONT)
		case n%4 == 2:
			c.await(n, *tick/2) // while the lease of this tick is held, and nobody asks
			pg.Restart()
		}
	}
	machines.Wait()
	c.check()
}

// paused are the ticks whose run stops itself beyond its lease.
func paused(n int) bool { return n%4 == 0 && n+1 < *ticks }

func (c cron) await(n int, late time.Duration) {
	select {
	case <-time.After(time.Until(c.begun.Add(time.Duration(n)**tick + late))):
	case <-c.t.Context().Done():
	}
}

func (c cron) file(kind string, n int) string { return filepath.Join(c.dir, kind+strconv.Itoa(n)) }

// run is the line of cron. The name is held for two thirds of a tick at least, so that the
// other machine, whose clock is late, finds it held.
func (c cron) run(machine string, n int) {
	job := "echo $RINGFENCE_TOKEN >> " + c.file("ran", n) + "; sleep 0.05"
	if paused(n) {
		job += "; echo $PPID $$ > " + c.file("stopped", n) + "; kill -STOP $PPID; kill -STOP $$"
	}
	cmd := c.ringfence(machine, "run", "nightly", "--timeout", (*tick / 4).String(), "--grace", (*tick / 8).String(),
		"--min-hold", (*tick * 2 / 3).String(), "--if-held", "skip", "--if-unavailable", "fail", "--holder", machine, "--", "sh", "-c", job)
	out, err := cmd.CombinedOutput()
	status := cmd.ProcessState.ExitCode()
	if late := status == 79 && paused(n); err != nil && !late {
		c.t.Errorf("tick %d on the %s machine: %v\n%s", n, machine, err, out)
	}
}

func (c cron) ringfence(machine string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(c.t.Context(), "ringfence", args...)
	state := filepath.Join(c.dir, machine)
	cmd.Env = append(os.Environ(), "HOME="+state, "XDG_STATE_HOME="+state, "RINGFENCE_STORE="+c.store, "RINGFENCE_JOURNAL=")
	return cmd
}

// signal sends sig to the run and to the job that stopped themselves.
func (c cron) signal(n int, sig syscall.Signal) {
	text, err := os.ReadFile(c.file("stopped", n))
	if err != nil {
		c.t.Errorf("no run of tick %d has stopped itself: %v", n, err)
	}
	for word := range strings.FieldsSeq(string(text)) {
		if pid, err := strconv.Atoi(word); err == nil {
			_ = syscall.Kill(pid, sig)
		}
	}
}

// check compares what ran with what the record shows.
func (c cron) check() {
	var found struct {
		Events   []journal.Event
		Suspects []history.Term
	}
	c.read(&found, "history", "nightly")
	c.read(&found, "suspects", "list")
	suspect := map[fence.Token]bool{}
	for _, s := range found.Suspects {
		suspect[s.Token] = true
	}
	granted := 0
	for _, e := range found.Events {
		if e.Kind == journal.Granted {
			granted++
		}
	}
	if granted != *ticks {
		c.t.Errorf("the history shows %d runs in %d ticks", granted, *ticks)
	}
	for n := range *ticks {
		text, err := os.ReadFile(c.file("ran", n))
		ran := strings.Fields(string(text))
		if err != nil || len(ran) != 1 {
			c.t.Errorf("tick %d ran with the tokens %s, %v; want one run", n, ran, err)
			continue
		}
		token, _ := fence.ParseToken(ran[0])
		if suspect[token] != paused(n) {
			c.t.Errorf("tick %d with token %s: suspect %t; was paused %t", n, token, suspect[token], paused(n))
		}
		delete(suspect, token)
	}
	if len(suspect) > 0 {
		c.t.Errorf("suspects that never ran: %v", suspect)
	}
	if *picture != "" {
		if out, err := c.ringfence("left", "history", "nightly", "--svg", *picture).CombinedOutput(); err != nil {
			c.t.Errorf("%v\n%s", err, out)
		}
	}
	for _, args := range [][]string{{"history", "nightly"}, {"suspects", "list"}} {
		out, _ := c.ringfence("left", args...).CombinedOutput()
		c.t.Logf("$ ringfence %s\n%s", strings.Join(args, " "), out)
	}
}

func (c cron) read(into any, args ...string) {
	out, err := c.ringfence("left", append(args, "--output", "json")...).Output()
	if err == nil {
		err = json.Unmarshal(out, into)
	}
	if err != nil {
		c.t.Fatal(fmt.Errorf("ringfence %s: %w", strings.Join(args, " "), err))
	}
}
