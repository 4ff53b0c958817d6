-- Raises the floor to $1 and records which server answers now. Returns the floor in force.
--
-- Where another server answers than the one on record, or the record is gone, the floor also rises above every
-- number that the lost one can have granted: a minute beyond this server's clock, since that of the lost one may
-- have been ahead. Running ahead of the clock costs nothing, because last + 1 orders. The caller waits for a later tick
-- than the one in which it noticed the change, so that a second change raises the floor again. No row: the clock is
-- beyond the highest token, as in acquire.sql, and nothing was raised, since no floor comes down again once it is right.
INSERT INTO ringfence.store AS s (single, schema_version, identity, previous_identity, identity_changed_at, floor)
SELECT true, 1, /*identity*/, 'lost', clock_timestamp(),
       greatest($1::bigint, (floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint - 1704067200000 + 60000) * 4096 - 1)
WHERE clock_timestamp() < to_timestamp(3903090000)
ON CONFLICT (single) DO UPDATE
SET floor = CASE WHEN s.identity <> excluded.identity THEN greatest(s.floor, excluded.floor)
                 ELSE greatest(s.floor, $1::bigint) END,
    previous_identity = CASE WHEN s.identity <> excluded.identity THEN s.identity ELSE s.previous_identity END,
    identity_changed_at = CASE WHEN s.identity <> excluded.identity THEN excluded.identity_changed_at
                               ELSE s.identity_changed_at END,
    identity = excluded.identity
RETURNING floor
