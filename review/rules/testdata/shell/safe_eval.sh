#!/bin/bash
set -e
me=$(uuidgen)
[ "$(redis-cli SET lock:backup "$me" NX PX 60000)" = OK ] || exit 0
release() {
  n=$(redis-cli EVAL "if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) else return 0 end" 1 lock:backup "$me")
  [ "$n" = 1 ] || { echo "lock was lost" >&2; exit 70; }
}
trap release EXIT
timeout 50 ./backup
