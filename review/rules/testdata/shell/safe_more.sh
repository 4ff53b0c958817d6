#!/bin/bash
exec 9>/var/lock/report.lock
flock -n 9 || exit 0
redis-cli DEL page:home
psql -c "UPDATE report SET done = true"
