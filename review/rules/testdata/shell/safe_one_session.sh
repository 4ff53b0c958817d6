#!/bin/sh
# One psql is one session: the lock lasts until all its statements are done.
psql -v ON_ERROR_STOP=1 "$DSN" -c "SELECT pg_advisory_lock(42); INSERT INTO runs DEFAULT VALUES; SELECT pg_advisory_unlock(42)"
