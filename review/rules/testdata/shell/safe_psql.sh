#!/bin/sh
psql "$DSN" <<'SQL'
BEGIN;
SELECT pg_advisory_xact_lock(42);
UPDATE totals SET n = (SELECT count(*) FROM rows);
COMMIT;
SQL
redis-cli del "cache:totals"
