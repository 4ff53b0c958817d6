-- Which server answers, where pg_control_system is hidden: its timeline and its start. A restart then counts as a change.
left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 8) || '/' || extract(epoch FROM pg_catalog.pg_postmaster_start_time())::text
