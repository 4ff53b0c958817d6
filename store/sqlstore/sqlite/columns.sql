-- Lists the columns that the tables ought to have and don't.
SELECT coalesce(group_concat(want.relation || '.' || want.name || ' ' || want.type, ', '), '')
FROM (
    SELECT 'ringfence_lease' AS relation, 'name' AS name, 'TEXT' AS type
    UNION ALL SELECT 'ringfence_lease', 'token', 'INTEGER'
    UNION ALL SELECT 'ringfence_lease', 'attempt', 'TEXT'
    UNION ALL SELECT 'ringfence_lease', 'holder', 'TEXT'
    UNION ALL SELECT 'ringfence_lease', 'state', 'TEXT'
    UNION ALL SELECT 'ringfence_lease', 'granted_at', 'INTEGER'
    UNION ALL SELECT 'ringfence_lease', 'expires_at', 'INTEGER'
    UNION ALL SELECT 'ringfence_lease', 'ended_by', 'TEXT'
    UNION ALL SELECT 'ringfence_store', 'single', 'INTEGER'
    UNION ALL SELECT 'ringfence_store', 'schema_version', 'INTEGER'
    UNION ALL SELECT 'ringfence_store', 'identity', 'TEXT'
    UNION ALL SELECT 'ringfence_store', 'previous_identity', 'TEXT'
    UNION ALL SELECT 'ringfence_store', 'identity_changed_at', 'INTEGER'
    UNION ALL SELECT 'ringfence_store', 'floor', 'INTEGER'
    UNION ALL SELECT 'ringfence_line', 'place', 'INTEGER'
    UNION ALL SELECT 'ringfence_line', 'name', 'TEXT'
    UNION ALL SELECT 'ringfence_line', 'attempt', 'TEXT'
    UNION ALL SELECT 'ringfence_line', 'holder', 'TEXT'
    UNION ALL SELECT 'ringfence_line', 'joined_at', 'INTEGER'
    UNION ALL SELECT 'ringfence_line', 'lapses_at', 'INTEGER'
) want
LEFT JOIN pragma_table_info(want.relation) has ON has.name = want.name AND has.type = want.type
WHERE has.name IS NULL
