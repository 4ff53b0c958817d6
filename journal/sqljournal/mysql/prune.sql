-- Removes, of the $3 oldest events, those that are older than $1 milliseconds or not among the newest $2.
DELETE FROM ringfence_event
WHERE seq < (SELECT o.oldest + $3 FROM (SELECT min(seq) AS oldest FROM ringfence_event) o)
  AND (at < TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - $1 * 1000
       OR seq <= (SELECT n.newest - $2 FROM (SELECT max(seq) AS newest FROM ringfence_event) n))
