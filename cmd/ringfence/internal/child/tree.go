//go:build linux || darwin

package child

import (
	"iter"
	"os"
	"syscall"
)

// identity tells two processes apart that had the same number one after the other.
type identity struct {
	pid   int
	start uint64
}

// process is one line of the process list.
type process struct {
	identity
	parent, group int
	dead          bool // ended, and not yet waited for by its parent
}

func table(all []process) map[int]process {
	byPID := make(map[int]process, len(all))
	for _, q := range all {
		byPID[q.pid] = q
	}
	return byPID
}

// members are those of all that belong to the tree: whose parents lead to this
// process, and who is in the command's group.
func (p *Process) members(all []process) []process {
	byPID := table(all)
	var in []process
	for _, q := range all {
		if p.member(q, byPID) {
			in = append(in, q)
		}
	}
	return in
}

func (p *Process) member(q process, byPID map[int]process) bool {
	if p.pid != 0 && q.group == p.pid {
		return true
	}
	self := os.Getpid()
	for a := range lineage(q, byPID) {
		if a.pid == self || p.others[a.identity] {
			return false
		}
		if a.parent == self {
			return true
		}
	}
	return false
}

// lineage is q, its parent, and so on. The bound ends a circle, possible in a
// list that was read while numbers were given out again.
func lineage(q process, byPID map[int]process) iter.Seq[process] {
	return func(yield func(process) bool) {
		for range len(byPID) {
			parent, ok := byPID[q.parent]
			if !yield(q) || !ok {
				return
			}
			q = parent
		}
	}
}

// living reads the process list, reaps the orphans that have ended, and returns
// who of the tree lives. Only numbers that the list names are waited for, so
// nobody else's exit status is taken.
func (p *Process) living() ([]process, error) {
	all, err := processes()
	if err != nil {
		return nil, err
	}
	var alive []process
	for _, m := range p.members(all) {
		switch {
		case !m.dead:
			alive = append(alive, m)
		case m.parent == os.Getpid() && m.pid != p.pid:
			_, _ = wait4(m.pid, syscall.WNOHANG)
		}
	}
	return alive, nil
}

// ended confirms that an empty list tells the truth. The command is reaped only
// here, so that until now no stranger could get the number of its group.
func (p *Process) ended() bool {
	if p.running() {
		return false
	}
	p.reap()
	return len(p.others) > 0 || childless()
}

func (p *Process) reap() {
	if !p.reaped {
		p.status, _ = wait4(p.pid, 0)
		p.reaped = true
		if p.init != nil && p.init.told {
			p.status = p.init.status
		}
	}
}

func (p *Process) signalGroup(s syscall.Signal) {
	if !p.reaped {
		_ = syscall.Kill(-p.pid, s)
	}
}

func wait4(pid, options int) (status syscall.WaitStatus, err error) {
	for {
		_, err = syscall.Wait4(pid, &status, options, nil)
		if err != syscall.EINTR {
			return status, err
		}
	}
}
