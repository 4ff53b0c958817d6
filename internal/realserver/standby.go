package realserver

import (
	"errors"
	"strconv"
	"strings"
	"testing"
)

// Standby starts an asynchronous standby of p, a copy that follows it by
// streaming replication and answers reads. It has the settings of p and the
// machine's clock, and ends with the test.
func (p *PG) Standby(t testing.TB) *PG {
	t.Helper()
	c, err := newCluster(p.c.bin, p.c.account, PostgresOptions{Durable: true, Settings: p.c.settings})
	if err != nil {
		t.Fatalf("realserver: %v", err)
	}
	c.password = p.c.password // it is copied with everything else
	s := adopt(t, c)
	s.must(c.copyFrom(p.c))
	s.must(c.start())
	s.must(c.waitFor("SELECT count(*) = 1 FROM pg_stat_wal_receiver WHERE status = 'streaming'"))
	return s
}

// copyFrom fills the cluster's folder with a copy of a running one, set up to
// follow it.
func (c *cluster) copyFrom(primary *cluster) error {
	_, err := c.output("pg_basebackup", "--host=127.0.0.1", "--port="+strconv.Itoa(primary.port), "--username=postgres",
		"--pgdata="+c.data(), "--write-recovery-conf", "--wal-method=stream", "--checkpoint=fast", "--no-sync")
	return err
}

// CatchUp waits until the standby s has applied everything that its primary p
// has written so far. It writes a mark of its own to wait for: where the log
// ends may be a place that nothing reaches before the next record.
func (p *PG) CatchUp(s *PG) {
	p.t.Helper()
	written := p.Exec("SELECT pg_logical_emit_message(true, 'ringfence', 'catch up')")
	s.must(s.c.waitFor("SELECT pg_last_wal_replay_lsn() >= '" + written + "'"))
}

// Promote makes a standby a primary: it leaves its old primary, alive or not,
// and takes writes. Nothing is asked of the old one, as after a network split.
func (p *PG) Promote() {
	p.t.Helper()
	if p.Exec("SELECT pg_promote(true, 60)") != "t" {
		p.t.Fatalf("realserver: the standby was not promoted within 60 s")
	}
}

// PauseReplication makes the standbys of p fall behind: what is written from
// now on reaches none of them. It stops the processes that send, since stopped
// receivers still get what their sockets hold.
func (p *PG) PauseReplication() {
	p.t.Helper()
	pids, err := p.senders()
	p.must(err)
	p.c.paused = append(p.c.paused, pids...)
	p.must(p.c.tellWatchdog())
	p.must(freeze(pids...))
}

// ResumeReplication ends a [PG.PauseReplication].
func (p *PG) ResumeReplication() { p.t.Helper(); p.must(p.c.resume()) }

func (p *PG) senders() ([]int, error) {
	var pids []int
	for field := range strings.FieldsSeq(p.Exec("SELECT pid FROM pg_stat_replication")) {
		pid, err := strconv.Atoi(field)
		if err != nil {
			return nil, err
		}
		pids = append(pids, pid)
	}
	if len(pids) == 0 {
		return nil, errors.New("there is no standby whose replication could be paused")
	}
	return pids, nil
}
