#!/bin/bash
exec 9>/var/lock/nightly.lock
flock -n 9 || exit 0
psql -c "UPDATE t SET x = 1"
redis-cli eval "if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) else return 0 end" 1 "job:lock" "$ID" | grep -q 1 || echo lost
redis-cli del "cache:index"
if mkdir /tmp/job.lock; then
  trap 'rmdir /tmp/job.lock' EXIT
  ./job
fi
kubectl apply -f deploy.yaml
redis-cli set "seen:$1" 1 nx ex 3600
