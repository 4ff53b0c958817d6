-- Locks the record of the name $1 as inspect.sql shows it, unless somebody else has.
SELECT l.name, CASE WHEN l.state = 'held' AND l.expires_at <= /*now*/ THEN 'expired' ELSE l.state END,
       l.token, CAST(l.holder AS BINARY), l.granted_at DIV 1000, l.expires_at DIV 1000,
       CASE WHEN l.state = 'held' THEN GREATEST(l.expires_at - /*now*/, 0) DIV 1000 ELSE 0 END,
       CAST(l.ended_by AS BINARY)
FROM ringfence_lease l
WHERE l.name = $1
FOR UPDATE SKIP LOCKED
