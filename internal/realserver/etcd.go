package realserver

import (
	"os"
	"path/filepath"
	"testing"
)

// EtcdOptions are the ways in which one cluster differs from the next.
type EtcdOptions struct {
	// Members is how many servers form the cluster. Defaults to 1.
	Members int
	// Settings are more flags of each member, such as "--quota-backend-bytes=...".
	// They win over ours. Defaults to none.
	Settings []string
}

// Etcd is an etcd cluster of one test's own. It asks for no password, and beats
// quickly, so that it grants leases of one second and elects a new leader within
// about one. A failing step fails the test. Except for Endpoints it is for one
// goroutine at a time. Members count from 0.
type Etcd struct {
	t testing.TB
	c *etcdCluster
}

// NewEtcd starts a new, empty cluster that ends with the test. Nil options are
// the defaults.
func NewEtcd(t testing.TB, o *EtcdOptions) *Etcd {
	t.Helper()
	if o == nil {
		o = new(EtcdOptions)
	}
	bin, err := findEtcd("etcd", "etcd-server")
	if err != nil {
		missing(t, err)
	}
	c, err := newEtcdCluster(bin, max(1, o.Members), o.Settings)
	if err != nil {
		t.Fatalf("realserver: %v", err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			for _, m := range c.members {
				t.Logf("end of the log of the etcd on port %d:\n%s", m.client, tail(m.log))
			}
		}
		c.close()
	})
	e := &Etcd{t: t, c: c}
	e.Start()
	return e
}

func (e *Etcd) must(err error) {
	e.t.Helper()
	if err != nil {
		e.t.Fatalf("realserver: %v", err)
	}
}

// Endpoints are the members' addresses, host and port.
func (e *Etcd) Endpoints() []string {
	var all []string
	for _, m := range e.c.members {
		all = append(all, address(m.client))
	}
	return all
}

// Leader is the member that leads.
func (e *Etcd) Leader() int {
	e.t.Helper()
	leader, err := e.c.leader()
	e.must(err)
	return leader
}

// Start starts every member that is down, at its old address, and waits until
// they answer.
func (e *Etcd) Start() { e.t.Helper(); e.must(e.c.start()) }

// Stop shuts all members down in order.
func (e *Etcd) Stop() {
	e.t.Helper()
	for i := range e.c.members {
		e.must(e.c.members[i].end(sigFast))
	}
}

// Kill ends one member at once, as a crash does.
func (e *Etcd) Kill(member int) { e.t.Helper(); e.must(e.c.members[member].end(sigKill)) }

// Pause stops one member where it is: its connections stay open, and nothing
// answers. [Etcd.Resume] lets it go on.
func (e *Etcd) Pause(member int) { e.t.Helper(); e.must(freeze(e.c.members[member].pid())) }

// Resume ends an [Etcd.Pause].
func (e *Etcd) Resume(member int) {
	e.t.Helper()
	e.must(signal(sigResume, e.c.members[member].pid()))
}

// SaveFiles copies the files of all members, which are down, and returns where to.
func (e *Etcd) SaveFiles() string {
	e.t.Helper()
	to := filepath.Join(e.t.TempDir(), "saved")
	e.must(os.CopyFS(to, os.DirFS(e.c.data())))
	return to
}

// RestoreFiles puts saved files in the place of the members' own, as a rollback
// of their disks does. All members are down.
func (e *Etcd) RestoreFiles(saved string) {
	e.t.Helper()
	e.must(os.RemoveAll(e.c.data()))
	e.must(os.CopyFS(e.c.data(), os.DirFS(saved)))
}

// Snapshot saves a snapshot with etcdctl, and returns its file.
func (e *Etcd) Snapshot() string {
	e.t.Helper()
	file := filepath.Join(e.t.TempDir(), "snapshot.db")
	e.control("--endpoints="+e.Endpoints()[0], "snapshot", "save", file)
	return file
}

// RestoreSnapshot makes the files of the cluster, whose only member is down, from
// a snapshot, with the same addresses. token is etcd's --initial-cluster-token;
// the one that the cluster was made with is "ringfence".
func (e *Etcd) RestoreSnapshot(file, token string) {
	e.t.Helper()
	e.must(os.RemoveAll(e.c.data()))
	m := e.c.members[0]
	e.control("snapshot", "restore", file, "--data-dir="+m.data, "--name="+m.name, "--initial-cluster="+e.c.initial(),
		"--initial-cluster-token="+token, "--initial-advertise-peer-urls="+m.peerURL())
}

func (e *Etcd) control(args ...string) {
	e.t.Helper()
	bin, err := findEtcd("etcdctl", "etcd-client")
	if err != nil {
		missing(e.t, err)
	}
	e.must(e.c.control(bin, args...))
}
