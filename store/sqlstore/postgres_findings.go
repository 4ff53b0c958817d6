package sqlstore

import (
	"fmt"
	"time"
)

// What follows looks at one thing each of a PostgreSQL.

func findVersion(f *findings, s serverState) {
	if found := "PostgreSQL " + s.Version; s.VersionNumber < 120000 {
		f.unfit("version", found, "the statements need 12 or later", "use a newer server")
	} else {
		f.fit("version", found, "12 or later is needed")
	}
}

func findRole(f *findings, s serverState) {
	switch {
	case s.Standby:
		f.unfit("role of the server", "a read-only standby", "nothing can be granted here",
			"connect to the primary; with several hosts in the address, target_session_attrs=read-write finds it")
	case s.ReadOnly:
		f.unfit("role of the server", "a primary, and default_transaction_read_only is on", "nothing can be granted",
			"set default_transaction_read_only = off for the role "+s.Role+" and the database "+s.Database)
	default:
		f.fit("role of the server", "a primary that accepts writes", "leases can be granted")
	}
}

func findEncoding(f *findings, s serverState) {
	if s.Encoding != "UTF8" {
		f.unfit("encoding", s.Encoding, "it can't hold every name", "create a database with ENCODING 'UTF8' for leases")
	} else {
		f.fit("encoding", "UTF8", "it holds every name")
	}
}

func findIdentity(f *findings, s serverState, o Options) {
	const subject, found = "identity", "pg_control_system is hidden from the role"
	switch {
	case s.Identity:
		f.fit(subject, "system identifier and timeline can be read", "a fail-over or a restore is noticed before the next grant")
	case o.WeakIdentity:
		f.fit(subject, found+", and the store knows the server by its timeline and start", "each restart counts as a change of server")
	default:
		f.unfit(subject, found, "a fail-over could go unnoticed",
			"GRANT EXECUTE ON FUNCTION pg_control_system() TO the role, or open the store with WeakIdentity")
	}
}

func findDurability(f *findings, s serverState) {
	const subject = "durability"
	const means = "grants that were acknowledged may be lost, and two holders then believe in their leases at once; tokens rise all the same"
	before := len(*f)
	if !s.Fsync {
		f.warn(subject, "fsync = off", "after a power failure the whole database may be corrupt; "+means, "set fsync = on")
	}
	if !s.FullPageWrites {
		f.warn(subject, "full_page_writes = off", "after a power failure pages may be half written", "set full_page_writes = on")
	}
	switch {
	case s.SynchronousCommit == "off":
		f.warn(subject, "synchronous_commit = off", "after a crash of the server, "+means, "set synchronous_commit = on for the role "+s.Role)
	case s.SynchronousCommit == "local" && s.SynchronousStandbys != "":
		f.warn(subject, "synchronous_commit = local, though there are synchronous standbys", "after a fail-over, "+means,
			"set synchronous_commit = on for the role "+s.Role)
	}
	if len(*f) == before {
		f.fit(subject, "fsync and full_page_writes are on, synchronous_commit = "+s.SynchronousCommit, "a grant is on disk before it is told")
	}
}

func findStandbys(f *findings, s serverState) {
	const subject = "standbys"
	switch {
	case s.Standby:
		return
	case s.SynchronousStandbys == "" && s.Standbys > 0:
		f.warn(subject, fmt.Sprintf("%d, asynchronous", s.Standbys),
			"a standby that is promoted may not know the last grants, and two holders then believe in their leases at once; tokens rise all the same, and a guard refuses the older",
			"name one in synchronous_standby_names if that matters")
	case s.SynchronousStandbys != "" && s.Standbys == 0:
		f.warn(subject, "none is connected, and synchronous_standby_names = "+s.SynchronousStandbys,
			"each grant waits until one is", "connect a standby, or empty synchronous_standby_names")
	case s.SynchronousStandbys != "":
		f.fit(subject, fmt.Sprintf("%d, with synchronous_standby_names = %s", s.Standbys, s.SynchronousStandbys), "a fail-over to a synchronous one loses no grant")
	default:
		f.fit(subject, "none is connected", "no grant is lost by a fail-over to one")
	}
}

func findIsolation(f *findings, s serverState) {
	means := "each step is one statement, judged on the newest version of its row"
	if s.Isolation != "read committed" {
		means = "steps that collide are repeated, which costs time and no promise"
	}
	f.fit("isolation", "by default "+s.Isolation, means)
}

func findConnections(f *findings, s serverState) {
	found := fmt.Sprintf("%d of %d", s.Connections, s.MaxConnections)
	if s.Connections*10 >= s.MaxConnections*9 {
		f.warn("connections", found, "when none is left, leases can't be renewed over a new one", "raise max_connections, or use fewer in other programs")
	} else {
		f.fit("connections", found, "there is room for those of the store")
	}
}

func findTimeouts(f *findings, s serverState) {
	before := len(*f)
	if ms := s.StatementTimeout; ms > 0 && ms < 1000 {
		f.warn("timeouts", "a statement is cut off after "+milliseconds(ms), "on a busy server, steps fail that would have succeeded",
			"set statement_timeout and transaction_timeout to a second or more for the role "+s.Role)
	}
	if ms := s.IdleTimeout; ms > 0 && ms < 60_000 {
		f.warn("timeouts", "an idle connection is closed after "+milliseconds(ms),
			"most steps begin with a new connection, and those who wait miss what happens meanwhile", "set idle_session_timeout to 0 for the role "+s.Role)
	}
	if len(*f) == before {
		f.fit("timeouts", "no short ones for statements or idle connections", "no step is cut off")
	}
}

func milliseconds(ms int64) string { return (time.Duration(ms) * time.Millisecond).String() }

func findCleaning(f *findings, s serverState) {
	if s.Autovacuum {
		f.fit("autovacuum", "on", "dead rows are removed")
		return
	}
	f.warn("autovacuum", "off", "each grant and release leaves a dead row, and steps get slower without end",
		"set autovacuum and track_counts = on, or VACUUM ringfence.lease every few minutes")
}

func findNotifications(f *findings, s serverState) {
	if s.NotificationQueue < 0.5 {
		return
	}
	f.warn("notifications", fmt.Sprintf("their queue is %.0f %% full", 100*s.NotificationQueue),
		"when it is full, a release for which somebody waits fails", "look for a session that listens in a transaction which has been open for long")
}
