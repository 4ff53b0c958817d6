package realserver

import (
	"os"
	"path/filepath"
	"testing"
)

// ZooKeeperOptions are the ways in which one ensemble differs from the next.
type ZooKeeperOptions struct {
	// Members is how many servers form the ensemble. Defaults to 1, which runs
	// standalone.
	Members int
	// Settings are more lines of each member's zoo.cfg, such as "tickTime=100". They
	// win over ours. Defaults to none.
	Settings []string
}

// ZooKeeper is a ZooKeeper ensemble of one test's own. It ticks quickly, so that
// sessions of one second are granted. It does not wait for the disk, which loses
// nothing when processes are killed, only when the machine is. A failing step fails
// the test. Except for Endpoints it is for one goroutine at a time. Members count
// from 0.
type ZooKeeper struct {
	t testing.TB
	e *ensemble
}

// NewZooKeeper starts a new, empty ensemble that ends with the test. Nil options
// are the defaults.
func NewZooKeeper(t testing.TB, o *ZooKeeperOptions) *ZooKeeper {
	t.Helper()
	if o == nil {
		o = new(ZooKeeperOptions)
	}
	java, jars, err := findZooKeeper()
	if err != nil {
		missing(t, err)
	}
	e, err := newEnsemble(java, jars, max(1, o.Members), o.Settings)
	if err != nil {
		t.Fatalf("realserver: %v", err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			for _, m := range e.members {
				t.Logf("end of the log of the ZooKeeper on port %d:\n%s", m.client, tail(m.log))
			}
		}
		e.close()
	})
	z := &ZooKeeper{t: t, e: e}
	z.Start()
	return z
}

func (z *ZooKeeper) must(err error) {
	z.t.Helper()
	if err != nil {
		z.t.Fatalf("realserver: %v", err)
	}
}

// Endpoints are the members' addresses, host and port.
func (z *ZooKeeper) Endpoints() []string {
	var all []string
	for _, m := range z.e.members {
		all = append(all, address(m.client))
	}
	return all
}

// Leader is the member that leads; of one that runs standalone, 0.
func (z *ZooKeeper) Leader() int {
	z.t.Helper()
	leader, err := z.e.leader()
	z.must(err)
	return leader
}

// Start starts every member that is down, at its old address, and waits until
// they serve.
func (z *ZooKeeper) Start() { z.t.Helper(); z.must(z.e.start()) }

// Stop shuts all members down in order.
func (z *ZooKeeper) Stop() {
	z.t.Helper()
	for i := range z.e.members {
		z.must(z.e.members[i].end(sigTerm))
	}
}

// Kill ends one member at once, as a crash does.
func (z *ZooKeeper) Kill(member int) { z.t.Helper(); z.must(z.e.members[member].end(sigKill)) }

// Pause stops one member where it is: its connections stay open, and nothing
// answers. [ZooKeeper.Resume] lets it go on.
func (z *ZooKeeper) Pause(member int) { z.t.Helper(); z.must(freeze(z.e.members[member].pid())) }

// Resume ends a [ZooKeeper.Pause].
func (z *ZooKeeper) Resume(member int) {
	z.t.Helper()
	z.must(signal(sigResume, z.e.members[member].pid()))
}

// SetClock sets the clock of a member, from its next start on, in the way
// libfaketime writes it: "+3600" is an hour ahead. The empty text is the machine's
// clock.
func (z *ZooKeeper) SetClock(member int, fakeTime string) {
	z.t.Helper()
	if fakeTime != "" {
		needFaketime(z.t)
	}
	z.e.members[member].fakeTime = fakeTime
}

// SaveFiles copies the files of all members, which are down, and returns where to.
func (z *ZooKeeper) SaveFiles() string {
	z.t.Helper()
	to := filepath.Join(z.t.TempDir(), "saved")
	z.must(os.CopyFS(to, os.DirFS(z.e.data())))
	return to
}

// RestoreFiles puts saved files in the place of the members' own, as a rollback
// of their disks does. All members are down.
func (z *ZooKeeper) RestoreFiles(saved string) {
	z.t.Helper()
	z.must(os.RemoveAll(z.e.data()))
	z.must(os.CopyFS(z.e.data(), os.DirFS(saved)))
}

// EmptyFiles takes everything from the members, which are down.
func (z *ZooKeeper) EmptyFiles() {
	z.t.Helper()
	z.must(os.RemoveAll(z.e.data()))
}
