package redisstore

import (
	"context"
	"fmt"

	"github.com/ringfence-go/ringfence/driver"
)

// memory covers what happens when the server's memory is full.
func (e examination) memory(ctx context.Context) []driver.Finding {
	most, policy := e.info["maxmemory"], e.info["maxmemory_policy"]
	if most == "" { // no INFO: the configuration may be readable all the same
		var mostErr, policyErr error
		most, mostErr = setting(ctx, e.node, "maxmemory")
		policy, policyErr = setting(ctx, e.node, "maxmemory-policy")
		if mostErr != nil || policyErr != nil {
			return nil
		}
	}
	f := driver.Finding{Subject: "eviction policy", Grade: driver.Fit, Found: "maxmemory 0", Means: "no key is removed for want of memory"}
	if most != "0" {
		f.Found = fmt.Sprintf("maxmemory %s, maxmemory-policy %s", most, policy)
	}
	if memoryFits(most, policy) != nil {
		f.Grade, f.Means = driver.Unfit, "when memory is full the server removes keys, and with them leases and the numbers behind their tokens"
		f.Do = "set maxmemory-policy to noeviction, or use a Redis of its own for leases"
	}
	all := []driver.Finding{f}
	if limit := e.info.number("maxmemory"); limit > 0 && e.info.number("used_memory") > nearlyFull*limit {
		all = append(all, driver.Finding{Subject: "memory", Grade: driver.Warning,
			Found: fmt.Sprintf("%.0f %% of maxmemory used", 100*e.info.number("used_memory")/limit),
			Means: "when it is full the server refuses each grant (OOM)", Do: "raise maxmemory, or remove what isn't needed"})
	}
	return all
}

// lost is how a sentence about lost records ends.
const lost = "then two can believe in one lease until the first one's ends; tokens still rise, by the server's clock"

// persistence covers what a crash of the server takes away.
func (e examination) persistence(ctx context.Context) []driver.Finding {
	f := driver.Finding{Subject: "persistence", Grade: driver.Warning, Do: "set appendonly yes and appendfsync always"}
	sync, _ := setting(ctx, e.node, "appendfsync")
	save, saveErr := setting(ctx, e.node, "save")
	switch {
	case e.info["aof_enabled"] == "":
		return nil
	case e.info["aof_enabled"] != "1" && saveErr == nil && save == "":
		f.Found, f.Means = "no append-only file and no snapshots", "a restart loses every lease: "+lost
	case e.info["aof_enabled"] != "1":
		f.Found, f.Means = "snapshots only (save "+orUnknown(save)+")", "a crash loses every grant since the last snapshot: "+lost
	case sync == "always":
		f.Grade, f.Found, f.Do = driver.Fit, "appendonly yes, appendfsync always", ""
		f.Means = "each grant is on the disk before it is answered"
	case sync == "everysec":
		f.Do = "set appendfsync always"
		f.Found, f.Means = "appendonly yes, appendfsync everysec", "a crash of the machine loses the grants of the last one or two seconds: "+lost
	case sync == "no":
		f.Do = "set appendfsync always"
		f.Found, f.Means = "appendonly yes, appendfsync no", "a crash of the machine loses what its system had not written yet, half a minute of grants, say: "+lost
	default:
		f.Found, f.Means = "appendonly yes, appendfsync unknown", "the user may not read the setting (CONFIG GET), so nothing can be promised about a crash"
		f.Do = "let the user run CONFIG|GET, and see that appendfsync is always"
	}
	return append([]driver.Finding{f}, e.disk()...)
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

// disk tells of writes to the disk that failed.
func (e examination) disk() (all []driver.Finding) {
	for _, what := range []struct{ field, name string }{{"aof_last_write_status", "append-only file"}, {"rdb_last_bgsave_status", "snapshot"}} {
		if status := e.info[what.field]; status != "" && status != "ok" {
			all = append(all, driver.Finding{Subject: "disk", Grade: driver.Unfit, Found: "last write of the " + what.name + ": " + status,
				Means: "the server refuses grants while it can't write to its disk (MISCONF), unless that was switched off",
				Do:    "see the server's log; free or repair the disk"})
		}
	}
	return all
}

// replicas covers what a fail-over takes away.
func (e examination) replicas(ctx context.Context) []driver.Finding {
	n := e.info["connected_slaves"]
	if n == "" || e.info["role"] != "master" {
		return nil
	}
	f := driver.Finding{Subject: "replicas", Grade: driver.Fit, Found: "none", Means: "none that lacks a grant can be promoted"}
	if n != "0" {
		least, err := setting(ctx, e.node, "min-replicas-to-write")
		if err != nil {
			least = "unknown"
		}
		f.Grade, f.Found = driver.Warning, fmt.Sprintf("%s, asynchronous, min-replicas-to-write %s", n, least)
		f.Means = "one that is promoted may lack grants that were answered: " + lost
		f.Do = "put a guard at the resource, which refuses the older holder"
		if least == "0" {
			f.Do += "; set min-replicas-to-write to 1, so that a primary that was cut off stops granting after min-replicas-max-lag"
		}
	}
	return []driver.Finding{f}
}

// room covers what else runs out.
func (e examination) room(context.Context) []driver.Finding {
	used, limit := e.info.number("connected_clients"), e.info.number("maxclients")
	if limit == 0 || used < nearlyFull*limit {
		return nil
	}
	return []driver.Finding{{Subject: "connections", Grade: driver.Warning, Found: fmt.Sprintf("%.0f of %.0f in use", used, limit),
		Means: "a client that can't connect can't renew, and loses its lease", Do: "raise maxclients, or find who leaves connections open"}}
}
