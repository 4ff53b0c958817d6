#!/bin/bash
tok=$(cat /proc/sys/kernel/random/uuid)
res=$(redis-cli -u "$REDIS" set invoice:lock "$tok" NX PX 20000) # want 7
[ "$res" = "OK" ] || exit 1
curl -fsS -X POST https://api.example/invoices/run # want 8
redis-cli -u "$REDIS" eval "if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) end return 0" 1 invoice:lock "$tok"
