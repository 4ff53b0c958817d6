#!/bin/sh
# Two sessions: the first psql ends and with it the lock.
psql -qAt "$DSN" -c "SELECT pg_advisory_lock(42)" # want 13
psql "$DSN" -f migrate.sql
psql -qAt "$DSN" -c "SELECT pg_advisory_unlock(42)" # want 10
