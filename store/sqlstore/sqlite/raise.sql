-- Raises the floor to ?1 and returns the floor and the identity in force. ?2 is the identity that this client knew.
--
-- Where that one has gone and nobody has noted it, or the record is gone, the floor also rises above every number
-- that the lost file can have granted: a minute beyond the clock, since that file may come from a machine whose
-- clock was ahead. Running ahead of the clock costs nothing, because last + 1 orders. No row: the clock is beyond the
-- highest token, and nothing was raised, since no floor comes down again once the clock is right.
INSERT INTO ringfence_store AS s (single, schema_version, identity, previous_identity, identity_changed_at, floor)
SELECT 1, 1, lower(hex(randomblob(16))), ?2, c.now, max(?1, (c.now - 1704067200000 + 60000) * 4096 - 1)
FROM (SELECT CAST(round(unixepoch('subsec') * 1000) AS INTEGER) AS now) c
WHERE (c.now - 1704067200000 + 60000) * 4096 - 1 <= 9007199254740991
ON CONFLICT (single) DO UPDATE
SET floor = CASE WHEN ?2 IN (s.identity, s.previous_identity) THEN max(s.floor, ?1) ELSE max(s.floor, excluded.floor) END,
    previous_identity = CASE WHEN ?2 IN (s.identity, s.previous_identity) THEN s.previous_identity ELSE ?2 END,
    identity_changed_at = CASE WHEN ?2 IN (s.identity, s.previous_identity) THEN s.identity_changed_at
                               ELSE excluded.identity_changed_at END
RETURNING floor, identity
