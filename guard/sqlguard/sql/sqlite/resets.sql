-- List the incarnations of a resource that have ended, latest first.
SELECT lease, incarnation, token, seq, above, reason, by, role, at FROM ringfence_mark_reset WHERE resource = ?1 ORDER BY incarnation DESC
