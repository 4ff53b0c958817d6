-- Reads what decides whether this server can host leases: its version and clock, how it logs, and the database that is selected.
SELECT VERSION(), COALESCE(DATABASE(), x''), @@hostname, @@port, @@log_bin AND @@binlog_format = 'STATEMENT',
       ABS(TIMESTAMPDIFF(SECOND, NOW(), SYSDATE())) > 60, @@sql_safe_updates, @@innodb_flush_log_at_trx_commit
