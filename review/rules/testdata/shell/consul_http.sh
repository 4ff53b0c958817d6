#!/usr/bin/env bash
# The leader of the pool writes the DNS zone.
set -u
session=$(curl -sf -X PUT -d '{"TTL":"30s"}' http://127.0.0.1:8500/v1/session/create | jq -r .ID)
got=$(curl -sf -X PUT -d "$HOSTNAME" "http://127.0.0.1:8500/v1/kv/dns/leader?acquire=$session")
if [ "$got" != true ]; then
  exit 0
fi
psql "$ZONE_DB" -c "UPDATE zone SET serial = serial + 1" # want 11
