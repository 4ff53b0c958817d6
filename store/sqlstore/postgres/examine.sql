-- Reads, as one JSON object, the settings and the state that decide how good a store this server is. It needs no rights.
SELECT json_build_object(
    'version', current_setting('server_version'), 'version_number', current_setting('server_version_num')::integer,
    'role', current_user, 'database', current_database(),
    'standby', pg_is_in_recovery(), 'read_only', current_setting('default_transaction_read_only')::boolean,
    'encoding', current_setting('server_encoding'),
    'identity', has_function_privilege('pg_catalog.pg_control_system()', 'EXECUTE'),
    'may_create', has_database_privilege(current_database(), 'CREATE'),
    'fsync', current_setting('fsync')::boolean, 'full_page_writes', current_setting('full_page_writes')::boolean,
    'synchronous_commit', current_setting('synchronous_commit'),
    'synchronous_standbys', current_setting('synchronous_standby_names'),
    'standbys', (SELECT count(*) FROM pg_stat_replication),
    'isolation', current_setting('default_transaction_isolation'),
    'autovacuum', current_setting('autovacuum')::boolean AND current_setting('track_counts')::boolean,
    'connections', (SELECT coalesce(sum(numbackends), 0) FROM pg_stat_database),
    'max_connections', current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer,
    'statement_timeout', (SELECT min(setting::bigint) FROM pg_settings
                          WHERE name IN ('statement_timeout', 'transaction_timeout') AND setting <> '0'),
    'idle_timeout', (SELECT setting::bigint FROM pg_settings WHERE name = 'idle_session_timeout'),
    'notification_queue', pg_notification_queue_usage()
)::text
