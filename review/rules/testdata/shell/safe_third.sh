#!/bin/bash
R() { redis-cli -h cache "$@"; }
R SET page:home "$(cat home.html)" EX 60
R DEL page:old
timeout 30 curl -s -X PUT -d up "http://127.0.0.1:8500/v1/kv/status/$HOSTNAME"
exec 9>/run/lock/job && flock -n 9 || exit 0
docker exec redis redis-cli GET page:home
psql "$DSN" -c "UPDATE jobs SET ran = true"
