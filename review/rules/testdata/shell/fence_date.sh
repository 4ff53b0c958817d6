#!/bin/bash
me=$(uuidgen)
[ "$(redis-cli SET stock:lock "$me" NX EX 60)" = OK ] || exit 0
fence=$(date +%s%N) # want 5
psql "$DSN" -c "UPDATE stock SET n = 4, fence = $fence WHERE id = 1 AND fence < $fence"
redis-cli EVAL "if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) else return 0 end" 1 stock:lock "$me"
