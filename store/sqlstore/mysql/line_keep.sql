-- Lets those asked for, $1, keep their places in line, unless they have lapsed.
UPDATE ($1) a STRAIGHT_JOIN ringfence_line l FORCE INDEX (attempt) ON l.name = a.name AND l.attempt = a.attempt
SET l.lapses_at = /*now*/ + a.ttl * 1000
WHERE l.lapses_at > /*now*/
