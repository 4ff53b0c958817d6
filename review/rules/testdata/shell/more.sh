#!/usr/bin/env bash
set -euo pipefail
lock() { redis-cli -u "$URL" set "job:$1:lock" "$$" NX PX 60000; }
unlock() { redis-cli -u "$URL" del "job:$1:lock"; } # want 1
if [[ $(lock nightly) != OK ]]; then exit 0; fi
psql "$DB" -c "UPDATE jobs SET state='done'" # want 4
unlock nightly
