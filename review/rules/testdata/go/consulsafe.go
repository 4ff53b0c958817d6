package consulsafe

import (
	"errors"

	"github.com/hashicorp/consul/api"
)

// Put writes only while the session holds the lock: one transaction.
func Put(kv *api.KV, session, lockKey, key string, value []byte) error {
	ok, resp, _, err := kv.Txn(api.KVTxnOps{
		{Verb: api.KVCheckSession, Key: lockKey, Session: session},
		{Verb: api.KVSet, Key: key, Value: value},
	}, nil)
	if err != nil {
		return err
	}
	if !ok {
		return errors.New(resp.Errors[0].What)
	}
	return nil
}
