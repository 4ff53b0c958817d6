-- Commits something that changes nothing, so as to wait for what a commit waits for: the disk, and synchronous standbys.
SELECT pg_catalog.pg_logical_emit_message(true, 'ringfence', '')
