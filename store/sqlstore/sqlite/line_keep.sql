-- Lets the attempt ?2 keep its place in the line for the name ?1 for ?3 milliseconds from now, unless it has lapsed.
UPDATE ringfence_line SET lapses_at = CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + ?3
WHERE name = ?1 AND attempt = ?2 AND lapses_at > CAST(round(unixepoch('subsec') * 1000) AS INTEGER)
RETURNING place
