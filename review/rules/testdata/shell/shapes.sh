#!/bin/sh
owner="$(hostname)-$$"
if [ "$(redis-cli SET lock:sync "$owner" NX EX 300)" != "OK" ]; then # want 7
  exit 0
fi
curl -sf -X POST https://hooks.invalid/sync # want 8
if [ "$(redis-cli GET lock:sync)" = "$owner" ]; then
  redis-cli DEL lock:sync # want 2
fi
