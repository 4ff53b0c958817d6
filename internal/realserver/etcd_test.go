package realserver

import (
	"net"
	"net/http"
	"slices"
	"testing"
)

// put and get go through a member's HTTP gateway; a key and a value are base64.
func (m *etcdMember) exec(t *testing.T, call, body string) (values []string) {
	t.Helper()
	var answer struct{ Kvs []struct{ Value string } }
	if err := askHTTP(http.MethodPost, m.url()+"/v3/kv/"+call, body, &answer); err != nil {
		t.Fatal(err)
	}
	for _, kv := range answer.Kvs {
		values = append(values, kv.Value)
	}
	return values
}

func TestEtcdKeepsItsAddressAndItsFiles(t *testing.T) {
	t.Parallel()
	e := NewEtcd(t, nil)
	m, addr := e.c.members[0], e.Endpoints()[0]
	get := func() []string { return m.exec(t, "range", `{"key":"aw=="}`) }
	m.exec(t, "put", `{"key":"aw==","value":"MQ=="}`)
	for _, end := range []func(){e.Stop, func() { e.Kill(0) }, func() { e.Pause(0); e.Kill(0) }} {
		end()
		if _, err := net.Dial("tcp", addr); err == nil {
			t.Fatal("the address of a server that is down answers")
		}
		e.Start()
		if got := get(); !slices.Equal(got, []string{"MQ=="}) || e.Endpoints()[0] != addr {
			t.Errorf("after a restart: %q at %s", got, e.Endpoints()[0])
		}
	}
	e.Stop()
	saved := e.SaveFiles()
	e.Start()
	snapshot := e.Snapshot()
	for _, restore := range []func(){func() { e.RestoreFiles(saved) }, func() { e.RestoreSnapshot(snapshot, "other") }} {
		m.exec(t, "put", `{"key":"aw==","value":"Mg=="}`)
		e.Kill(0)
		restore()
		e.Start()
		if got := get(); !slices.Equal(got, []string{"MQ=="}) {
			t.Errorf("after a restore: %q", got)
		}
	}
}

func TestEtcdElectsAnotherLeader(t *testing.T) {
	t.Parallel()
	e := NewEtcd(t, &EtcdOptions{Members: 3})
	first := e.Leader()
	e.Pause(first)
	others := slices.Delete(slices.Clone(e.c.members), first, first+1)
	if !until(startLimit, func() bool {
		return others[0].healthy() == nil && others[1].healthy() == nil
	}) {
		t.Fatal("the rest of the cluster does not answer")
	}
	e.Resume(first)
	if !until(startLimit, func() bool { leader, err := e.c.leader(); return err == nil && leader != first }) {
		t.Error("the member that was paused still leads")
	}
}
