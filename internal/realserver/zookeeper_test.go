package realserver

import (
	"net"
	"os"
	"path/filepath"
	"testing"
)

func TestZooKeeperKeepsItsAddressAndItsFiles(t *testing.T) {
	t.Parallel()
	z := NewZooKeeper(t, nil)
	addr := z.Endpoints()[0]
	for _, end := range []func(){z.Stop, func() { z.Pause(0); z.Kill(0) }} {
		end()
		if _, err := net.Dial("tcp", addr); err == nil {
			t.Fatal("the address of a server that is down answers")
		}
		z.Start()
	}
	z.Kill(0)
	saved := z.SaveFiles()
	state := filepath.Join("m0", "version-2")
	if _, err := os.Stat(filepath.Join(saved, state)); err != nil {
		t.Error(err)
	}
	z.EmptyFiles()
	z.RestoreFiles(saved)
	if _, err := os.Stat(filepath.Join(z.e.data(), state)); err != nil {
		t.Error(err)
	}
	z.Start()
	if z.Leader() != 0 {
		t.Error("a server alone does not lead")
	}
}

func TestZooKeeperElectsAnotherLeader(t *testing.T) {
	t.Parallel()
	z := NewZooKeeper(t, &ZooKeeperOptions{Members: 3})
	first := z.Leader()
	z.Pause(first)
	if !until(startLimit, func() bool { leader, err := z.e.leader(); return err == nil && leader != first }) {
		t.Fatal("the rest of the ensemble has no leader")
	}
	z.Resume(first)
	if !until(startLimit, func() bool { mode, err := z.e.members[first].mode(); return err == nil && mode == "follower" }) {
		t.Error("the member that was paused does not follow")
	}
}
