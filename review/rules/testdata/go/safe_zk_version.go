package p

import (
	"errors"

	"github.com/go-zookeeper/zk"
)

func compact(zc *zk.Conn, me []byte, merge func([]byte) []byte) error {
	_, err := zc.Create("/c/lock", me, zk.FlagEphemeral, zk.WorldACL(zk.PermAll))
	if errors.Is(err, zk.ErrNodeExists) {
		return nil
	}
	if err != nil {
		return err
	}
	old, stat, err := zc.Get("/c/manifest")
	if err != nil {
		return err
	}
	_, err = zc.Set("/c/manifest", merge(old), stat.Version)
	return err
}
