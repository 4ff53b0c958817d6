#!/usr/bin/env bash
set -euo pipefail
REDIS="redis-cli -h redis.internal"
KEY="rollup:lock"
ME="$(hostname)-$$"

if [[ "$($REDIS SET "$KEY" "$ME" NX EX 600)" != "OK" ]]; then
  echo "someone else" >&2
  exit 0
fi
cleanup() {
  $REDIS DEL "$KEY" >/dev/null # want 1
}
trap cleanup EXIT

psql "$DSN" -c "UPDATE rollups SET done = true WHERE day = current_date" # want 4
