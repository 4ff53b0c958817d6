//go:build linux || darwin

package child

import (
	"encoding/json"
	"os"
	"syscall"
)

// isolation is the other end of an init: the first process of a namespace, whose child the
// command is.
type isolation struct {
	pid     int
	reports *json.Decoder
	pipe    *os.File
	status  syscall.WaitStatus // the command's
	told    bool               // status is known
}

// report is what an init says: that the command is started, or why not, that it was
// stopped, or how it ended.
type report struct {
	Failed  string             `json:",omitempty"` // the step
	Errno   syscall.Errno      `json:",omitempty"` // of it
	Stopped syscall.Signal     `json:",omitempty"`
	Ended   bool               `json:",omitempty"`
	Status  syscall.WaitStatus `json:",omitempty"`
}

// watch returns when the command has ended, or its init has.
func (i *isolation) watch(halts chan<- syscall.Signal) {
	defer i.pipe.Close()
	for {
		var r report
		if i.reports.Decode(&r) != nil {
			return
		}
		if r.Ended {
			i.status, i.told = r.Status, true
			return
		}
		halts <- r.Stopped
	}
}

// watchCommand returns when the command has ended.
func (p *Process) watchCommand() {
	if p.init != nil {
		p.init.watch(p.halts)
		return
	}
	p.watch()
}

// isInit reports whether q is no process of the command but the init above it.
func (p *Process) isInit(q process) bool { return p.init != nil && q.pid == p.init.pid }
