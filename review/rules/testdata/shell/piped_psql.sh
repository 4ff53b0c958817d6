#!/bin/bash
psql "$DB" -tAc "SELECT pg_try_advisory_lock(77)" | grep -q t || exit 0 # want 13
psql "$DB" -f /opt/job.sql
psql "$DB" -c "SELECT pg_advisory_unlock(77)" # want 10
