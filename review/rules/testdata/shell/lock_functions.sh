#!/bin/sh
lock() { redis-cli --raw set "$1" "$2" nx px 30000; } # want 7
unlock() {
  cur=$(redis-cli --raw get "$1")
  if [ "$cur" = "$2" ]; then
    redis-cli del "$1" # want 2
  fi
}
id=$(uuidgen)
[ "$(lock jobs:mail "$id")" = OK ] || exit 1
mail -s "report" ops@example.invalid < /tmp/report # want 8
unlock jobs:mail "$id"
