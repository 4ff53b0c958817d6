#!/bin/bash
set -u
who=$(redis-cli --raw GET backup:who)
if [ -z "$who" ]; then
  redis-cli SET backup:who "$HOSTNAME" EX 3600 >/dev/null # want 3
else
  exit 0
fi
aws s3 cp dump.sql s3://backups/ # want 4
if [ "$(redis-cli --raw GET backup:who)" = "$HOSTNAME" ]; then
  redis-cli DEL backup:who >/dev/null # want 2
fi
