#!/bin/bash
set -eu
redis-cli SETNX "cleanup.lock" "$HOSTNAME" | grep -q 1 || exit 0
redis-cli EXPIRE "cleanup.lock" 300 # want 3
find /srv/data -mtime +7 -delete
redis-cli DEL "cleanup.lock" # want 1
