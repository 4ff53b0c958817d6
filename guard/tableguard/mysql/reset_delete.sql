-- End the locked mark of a lease, so that none is there until a term begins.
DELETE FROM ringfence_guard_mark WHERE lease = CAST(? AS BINARY)
