-- Reads what decides whether this server can host leases: its version and clock, how it logs, whether it is read-only for those
-- whom it doesn't trust with more, and the database that is selected.
SELECT VERSION(), COALESCE(DATABASE(), x''), @@hostname, @@port, @@log_bin AND @@binlog_format = 'STATEMENT',
       ABS(TIMESTAMPDIFF(SECOND, NOW(), SYSDATE())) > 60, @@sql_safe_updates,
       @@read_only NOT IN ('0', 'OFF'), @@innodb_flush_log_at_trx_commit
