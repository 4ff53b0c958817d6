-- Lists the columns that the tables ought to have and don't.
SELECT COALESCE(GROUP_CONCAT(CONCAT(want.relation, '.', want.name, ' ', want.type) SEPARATOR ', '), x'')
FROM (
    SELECT 'ringfence_lease' AS relation, 'name' AS name, 'varbinary' AS type
    UNION ALL SELECT 'ringfence_lease', 'token', 'bigint'
    UNION ALL SELECT 'ringfence_lease', 'attempt', 'varbinary'
    UNION ALL SELECT 'ringfence_lease', 'holder', 'varchar'
    UNION ALL SELECT 'ringfence_lease', 'state', 'varchar'
    UNION ALL SELECT 'ringfence_lease', 'granted_at', 'bigint'
    UNION ALL SELECT 'ringfence_lease', 'expires_at', 'bigint'
    UNION ALL SELECT 'ringfence_lease', 'ended_by', 'varchar'
    UNION ALL SELECT 'ringfence_lease', 'batch', 'bigint'
    UNION ALL SELECT 'ringfence_store', 'single', 'tinyint'
    UNION ALL SELECT 'ringfence_store', 'schema_version', 'int'
    UNION ALL SELECT 'ringfence_store', 'identity', 'varbinary'
    UNION ALL SELECT 'ringfence_store', 'previous_identity', 'varbinary'
    UNION ALL SELECT 'ringfence_store', 'identity_changed_at', 'bigint'
    UNION ALL SELECT 'ringfence_store', 'floor', 'bigint'
    UNION ALL SELECT 'ringfence_line', 'name', 'varbinary'
    UNION ALL SELECT 'ringfence_line', 'place', 'bigint'
    UNION ALL SELECT 'ringfence_line', 'attempt', 'varbinary'
    UNION ALL SELECT 'ringfence_line', 'holder', 'varchar'
    UNION ALL SELECT 'ringfence_line', 'joined_at', 'bigint'
    UNION ALL SELECT 'ringfence_line', 'lapses_at', 'bigint'
) want
LEFT JOIN information_schema.columns has
    ON has.table_schema = DATABASE() AND has.table_name = want.relation AND has.column_name = want.name AND has.data_type = want.type
WHERE has.column_name IS NULL
