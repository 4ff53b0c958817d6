//go:build linux || darwin

package child

import (
	"syscall"
	"time"
)

// ending is the state of one Wait. Nothing tells of the death of a grandchild,
// so after begin the process list is read until it shows none of the tree.
type ending struct {
	process *Process
	grace   time.Duration
	result  Result

	begun, killing, over bool
	groupAsked           bool              // the command's group got TERM
	asked                map[identity]bool // got TERM, with the group or alone; none gets it twice
	alive                []process         // of the last step
	err                  error             // of the last step

	graceEnd, giveUp, next <-chan time.Time
	pause                  time.Duration
}

// begin opens the grace, once: a second reason to end doesn't lengthen it.
func (e *ending) begin(stopped bool) {
	e.result.Stopped = e.result.Stopped || stopped
	if !e.begun {
		e.begun = true
		e.graceEnd = time.After(e.grace)
	}
	e.pause = 0
	e.step()
	if !e.result.Stopped {
		e.result.Left = max(e.result.Left, e.left())
	}
}

// left counts who lives of the command's own.
func (e *ending) left() (n int) {
	for _, m := range e.alive {
		if !e.process.isInit(m) {
			n++
		}
	}
	return n
}

func (e *ending) kill() {
	e.graceEnd = nil
	if e.killing || e.over {
		return
	}
	e.killing = true
	e.giveUp = time.After(settle)
	e.pause = 0
	e.step()
}

// reapSoon makes sure that the orphans of a long run don't pile up as zombies,
// at the price of one reading of the process list a second.
func (e *ending) reapSoon() {
	if e.next == nil {
		e.next = time.After(time.Second)
	}
}

// step looks once at what is left of the tree and sends what is due.
func (e *ending) step() {
	e.next = nil
	e.alive, e.err = e.process.living()
	switch {
	case !e.begun:
		return
	case e.err == nil && len(e.alive) == 0 && e.process.ended():
		e.over = true
		e.setStatus()
		return
	case e.killing:
		e.sendKill()
	default:
		e.sendTerm()
	}
	e.pause = min(max(2*e.pause, time.Millisecond), 50*time.Millisecond)
	e.next = time.After(e.pause)
}

// sendTerm asks each process once, the command's group as one. It spares what a
// process that was asked has started since: that is its cleaning up. CONT
// follows, since a stopped process gets TERM only when it goes on.
func (e *ending) sendTerm() {
	spared := e.cleaningUp()
	if !e.groupAsked {
		e.groupAsked = true
		e.process.signalGroup(syscall.SIGTERM)
		e.process.signalGroup(syscall.SIGCONT)
		for _, m := range e.alive {
			e.asked[m.identity] = m.group == e.process.pid
		}
	}
	for _, m := range e.alive {
		if e.asked[m.identity] || spared[m.pid] {
			continue
		}
		e.asked[m.identity] = true
		_ = syscall.Kill(m.pid, syscall.SIGTERM)
		_ = syscall.Kill(m.pid, syscall.SIGCONT)
	}
}

// cleaningUp is who descends from a living process that has been asked.
func (e *ending) cleaningUp() map[int]bool {
	byPID := table(e.alive)
	spared := map[int]bool{}
	for _, m := range e.alive {
		for a := range lineage(m, byPID) {
			spared[m.pid] = spared[m.pid] || a.pid != m.pid && e.asked[a.identity] && !e.process.isInit(a)
		}
	}
	return spared
}

// sendKill kills the command's group, also when the list can't be read, and
// everybody else one by one; each step again, since who is new may have slipped
// through.
func (e *ending) sendKill() {
	e.result.Killed = e.result.Killed || e.left() > 0
	e.process.signalGroup(syscall.SIGKILL)
	for _, m := range e.alive {
		_ = syscall.Kill(m.pid, syscall.SIGKILL)
	}
}
