#!/bin/bash
n=$(redis-cli INCR rotate:lock)
if [ "$n" -ne 1 ]; then exit 0; fi
redis-cli EXPIRE rotate:lock 120 # want 3
psql "$DSN" -c "UPDATE keys SET current = false" # want 4
redis-cli DEL rotate:lock # want 1
