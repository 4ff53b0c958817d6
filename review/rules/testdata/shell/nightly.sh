#!/usr/bin/env bash
set -euo pipefail

KEY="nightly:lock"
got=$(redis-cli -h "$REDIS_HOST" SET "$KEY" "$(uuidgen)" NX EX 3600)
if [[ "$got" != "OK" ]]; then
  echo "somebody else runs" >&2
  exit 0
fi
cleanup() {
  redis-cli -h "$REDIS_HOST" DEL "$KEY" # want 1
}
trap cleanup EXIT
./rollup
