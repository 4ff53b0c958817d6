-- Lists the columns that the tables ought to have and don't.
SELECT coalesce(string_agg(want.relation || '.' || want.name || ' ' || want.type, ', '), '')
FROM (VALUES
    ('ringfence.lease', 'name', 'text'), ('ringfence.lease', 'token', 'bigint'),
    ('ringfence.lease', 'attempt', 'text'), ('ringfence.lease', 'holder', 'text'),
    ('ringfence.lease', 'state', 'text'), ('ringfence.lease', 'ended_by', 'text'),
    ('ringfence.lease', 'granted_at', 'timestamp with time zone'),
    ('ringfence.lease', 'expires_at', 'timestamp with time zone'),
    ('ringfence.store', 'single', 'boolean'), ('ringfence.store', 'schema_version', 'integer'),
    ('ringfence.store', 'identity', 'text'), ('ringfence.store', 'previous_identity', 'text'),
    ('ringfence.store', 'identity_changed_at', 'timestamp with time zone'), ('ringfence.store', 'floor', 'bigint'),
    ('ringfence.waiter', 'name', 'text'), ('ringfence.waiter', 'place', 'bigint'), ('ringfence.waiter', 'listener', 'text'),
    ('ringfence.waiter', 'attempt', 'text'),
    ('ringfence.line', 'name', 'text'), ('ringfence.line', 'place', 'bigint'), ('ringfence.line', 'attempt', 'text'),
    ('ringfence.line', 'holder', 'text'), ('ringfence.line', 'joined_at', 'timestamp with time zone'),
    ('ringfence.line', 'lapses_at', 'timestamp with time zone'),
    ('ringfence.listener', 'channel', 'text'), ('ringfence.listener', 'expires_at', 'timestamp with time zone')
) AS want(relation, name, type)
LEFT JOIN pg_attribute has
    ON has.attrelid = want.relation::regclass AND has.attname = want.name AND NOT has.attisdropped
    AND format_type(has.atttypid, NULL) = want.type
    AND (want.relation || want.name NOT IN ('ringfence.leasename', 'ringfence.waitername', 'ringfence.linename') OR has.attcollation = '"C"'::regcollation)
WHERE has.attname IS NULL
