-- List the incarnations of a resource that have ended, latest first.
SELECT lease, incarnation, token, seq, above, reason, by, role, floor(extract(epoch FROM at) * 1000)::bigint FROM ringfence.mark_reset WHERE resource = $1 ORDER BY incarnation DESC
