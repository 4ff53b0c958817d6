-- Reads which server answers, and the moment when its postmaster was started, by which acquire.sql knows it again.
SELECT /*identity*/, extract(epoch FROM pg_catalog.pg_postmaster_start_time())::text
