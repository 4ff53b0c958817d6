-- Reads up to ?5 events added before the place ?2, the last first: of the name ?1 and of the whole store, or all where it
-- is empty, from ?3 to before ?4, in microseconds since 1970.
SELECT seq, at * 1000, kind, name, token, coalesce(until * 1000, 0), holder, cause, resource, by_whom, detail, lost, id
FROM ringfence_event
WHERE seq < ?2 AND (?1 = '' OR name = ?1 OR name = '') AND at * 1000 >= ?3 AND at * 1000 < ?4
ORDER BY seq DESC
LIMIT ?5
