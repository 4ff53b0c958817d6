-- Raises the floor to $1 and records which server answers now.
--
-- Where another server answers than the one on record, or the record is gone, the floor also rises above every
-- number that the lost one can have granted: a minute beyond this server's clock, since that of the lost one may
-- have been ahead. Running ahead of the clock costs nothing, because last + 1 orders. Where the clock is beyond the
-- highest token nothing is raised, since no floor comes down again once it is right. It waits for the grants under way.
INSERT INTO ringfence_store (single, schema_version, identity, previous_identity, identity_changed_at, floor)
SELECT 1, 1, i.present, 'lost', i.moment, GREATEST($1, (i.moment DIV 1000 - 1704067200000 + 60000) * 4096 - 1)
FROM (SELECT /*identity*/ AS present, /*now*/ AS moment) i
WHERE i.moment < 3903090000000000
ON DUPLICATE KEY UPDATE
    floor = CASE WHEN ringfence_store.identity <> VALUES(identity) THEN GREATEST(ringfence_store.floor, VALUES(floor))
                 ELSE GREATEST(ringfence_store.floor, $1) END,
    previous_identity = CASE WHEN ringfence_store.identity <> VALUES(identity) THEN ringfence_store.identity ELSE ringfence_store.previous_identity END,
    identity_changed_at = CASE WHEN ringfence_store.identity <> VALUES(identity) THEN VALUES(identity_changed_at)
                               ELSE ringfence_store.identity_changed_at END,
    identity = VALUES(identity)
