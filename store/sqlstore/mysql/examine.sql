-- Reads the settings that decide what leases are worth here. A server does not know all of them.
SHOW VARIABLES WHERE variable_name IN ('version', 'read_only', 'super_read_only', 'innodb_read_only', 'innodb_flush_log_at_trx_commit', 'sync_binlog',
    'log_bin', 'binlog_format', 'autocommit', 'tx_isolation', 'transaction_isolation', 'wsrep_on', 'rpl_semi_sync_master_enabled',
    'rpl_semi_sync_source_enabled', 'max_connections', 'max_statement_time')
