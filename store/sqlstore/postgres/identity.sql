-- Which server answers: its system identifier and its timeline. The control file's own copy of the timeline lags after a promotion.
(SELECT system_identifier FROM pg_catalog.pg_control_system())::text || '/' || left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 8)
