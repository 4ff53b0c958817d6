-- Removes, of the ?3 oldest events, those that are older than ?1 milliseconds or not among the newest ?2.
DELETE FROM ringfence_event
WHERE seq IN (SELECT seq FROM ringfence_event ORDER BY seq LIMIT ?3)
  AND (at < CAST(round(unixepoch('subsec') * 1000) AS INTEGER) - ?1
       OR seq <= (SELECT max(seq) FROM ringfence_event) - ?2)
