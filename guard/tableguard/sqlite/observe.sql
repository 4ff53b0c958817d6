-- Read the mark of a lease, 0 where it has none.
SELECT coalesce(max(token), 0) FROM ringfence_guard_mark WHERE lease = ?1
