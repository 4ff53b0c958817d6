-- Appends the events of the JSON array ?1, each by how many microseconds ago it was and how many it is good for.
INSERT INTO ringfence_event (at, kind, name, token, until, holder, cause, resource, by_whom, detail, lost, id)
SELECT c.now - (e.value ->> 'ago') / 1000, e.value ->> 'kind', e.value ->> 'name', e.value ->> 'token',
       c.now + ((e.value ->> 'span') - (e.value ->> 'ago')) / 1000, e.value ->> 'holder', e.value ->> 'cause',
       e.value ->> 'resource', e.value ->> 'by_whom', e.value ->> 'detail', e.value ->> 'lost', e.value ->> 'id'
FROM json_each(?1) e CROSS JOIN (SELECT CAST(round(unixepoch('subsec') * 1000) AS INTEGER) AS now) c
ORDER BY e.key
