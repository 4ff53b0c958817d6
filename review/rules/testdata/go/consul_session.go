package testdata

import "github.com/hashicorp/consul/api"

func run(c *api.Client) error {
	id, _, err := c.Session().Create(&api.SessionEntry{TTL: "20s"}, nil)
	if err != nil {
		return err
	}
	ok, _, err := c.KV().Acquire(&api.KVPair{Key: "jobs/.lock", Session: id}, nil)
	if err != nil || !ok {
		return err
	}
	_, err = c.KV().Put(&api.KVPair{Key: "jobs/state", Value: []byte("x")}, nil) // want 4
	if err != nil {
		return err
	}
	_, _, err = c.Session().Renew(id, nil)
	if err != nil {
		return err
	}
	_, err = c.Session().Destroy(id, nil)
	return err
}
