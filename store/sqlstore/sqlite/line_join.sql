-- Gives the attempt ?2 of the holder ?3 a place at the end of the line for the name ?1, for ?4 milliseconds from now, unless ?5 wait.
INSERT INTO ringfence_line (name, attempt, holder, joined_at, lapses_at)
SELECT ?1, ?2, ?3, c.now, c.now + ?4
FROM (SELECT CAST(round(unixepoch('subsec') * 1000) AS INTEGER) AS now) c
WHERE (SELECT count(*) FROM ringfence_line WHERE name = ?1) < ?5
ON CONFLICT (name, attempt) DO UPDATE SET lapses_at = excluded.lapses_at
RETURNING place
