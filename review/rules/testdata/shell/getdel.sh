#!/bin/bash
me="$(hostname)-$$-$RANDOM"
lock="deploy-lock:$APP"
redis-cli set "$lock" "$me" nx px 600000 | grep -q OK || exit 1
./deploy "$APP"
if [ "$(redis-cli get "$lock")" = "$me" ]; then
  redis-cli del "$lock" # want 2
fi
