-- Take the lock of a lease alone, so that no write of its terms is under way.
SELECT pg_advisory_xact_lock(ringfence.guard_lock($1))
