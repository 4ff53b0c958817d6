package depot

import (
	"errors"

	"github.com/hashicorp/consul/api"
)

type Mark struct {
	kv  *api.KV
	who []byte
}

const loading = "depot/loading/running"

func (m *Mark) Set() error {
	p, _, err := m.kv.Get(loading, nil)
	if err != nil {
		return err
	}
	if p != nil {
		return errors.New("somebody loads")
	}
	_, err = m.kv.Put(&api.KVPair{Key: loading, Value: m.who}, nil) // want 3
	return err
}

func (m *Mark) Gone() error {
	_, err := m.kv.Delete(loading, nil) // want 1
	return err
}
