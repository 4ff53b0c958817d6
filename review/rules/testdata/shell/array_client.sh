#!/bin/bash
CLI=(redis-cli -h "$REDIS_HOST" --no-auth-warning)
if [[ $("${CLI[@]}" SET backup:lock "$HOSTNAME" NX EX 900) != OK ]]; then # want 7
  exit 0
fi
trap '"${CLI[@]}" DEL backup:lock' EXIT # want 1
pg_dump "$DSN" | aws s3 cp - s3://backups/latest.sql # want 4
