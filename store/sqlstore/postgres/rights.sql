-- Lists the rights on the tables that this role needs and lacks.
SELECT coalesce(string_agg(want.privilege || ' on ' || want.relation, ', '), '')
FROM (VALUES
    ('ringfence.lease', 'SELECT'), ('ringfence.lease', 'INSERT'), ('ringfence.lease', 'UPDATE'),
    ('ringfence.store', 'SELECT'), ('ringfence.store', 'INSERT'), ('ringfence.store', 'UPDATE'),
    ('ringfence.waiter', 'SELECT'), ('ringfence.waiter', 'INSERT'), ('ringfence.waiter', 'DELETE'),
    ('ringfence.line', 'SELECT'), ('ringfence.line', 'INSERT'), ('ringfence.line', 'UPDATE'), ('ringfence.line', 'DELETE'),
    ('ringfence.listener', 'SELECT'), ('ringfence.listener', 'INSERT'), ('ringfence.listener', 'UPDATE'), ('ringfence.listener', 'DELETE')
) AS want(relation, privilege)
WHERE NOT has_table_privilege(want.relation, want.privilege)
