-- Appends events, of which each array has one field: how many microseconds ago it was, how many it is good for, and so on.
-- To take apart one array a field costs a third of what a JSON text does.
INSERT INTO ringfence.event (at, until, kind, name, token, holder, cause, resource, by_whom, detail, lost, id)
SELECT c.now - e.ago * interval '1 microsecond', c.now + (e.span - e.ago) * interval '1 microsecond',
       e.kind, e.name, e.token, e.holder, e.cause, e.resource, e.by_whom, e.detail, e.lost, e.id
FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::text[],
            $10::text[], $11::bigint[], $12::text[])
     AS e(ago, span, kind, name, token, holder, cause, resource, by_whom, detail, lost, id)
CROSS JOIN (SELECT clock_timestamp() AS now OFFSET 0) c
