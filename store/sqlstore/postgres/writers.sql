-- Lists the transactions that are writing leases now: those that may not have seen a floor that was just raised.
SELECT virtualtransaction
FROM pg_locks
WHERE locktype = 'relation' AND relation = 'ringfence.lease'::regclass AND mode = 'RowExclusiveLock'
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
