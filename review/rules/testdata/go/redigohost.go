package redigohost

import (
	"os"

	"github.com/gomodule/redigo/redis"
)

var unlock = redis.NewScript(1, `if redis.call("get",KEYS[1]) == ARGV[1] then return redis.call("del",KEYS[1]) else return 0 end`)

func Lock(c redis.Conn, job string) (bool, error) {
	host, err := os.Hostname()
	if err != nil {
		return false, err
	}
	_, err = redis.String(c.Do("SET", "job:lock:"+job, host, "NX", "EX", 60)) // want 19
	if err == redis.ErrNil {
		return false, nil
	}
	return err == nil, err
}

func Unlock(c redis.Conn, job string) (bool, error) {
	host, err := os.Hostname()
	if err != nil {
		return false, err
	}
	n, err := redis.Int(unlock.Do(c, "job:lock:"+job, host))
	return n == 1, err
}
