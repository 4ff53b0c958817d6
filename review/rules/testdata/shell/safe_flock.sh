#!/bin/bash
exec 9>/var/lock/report.lock
flock -n 9 || exit 0
trap 'rm -f /tmp/report.$$' EXIT
psql "$DSN" -c "UPDATE reports SET made = true"
