-- Reads which process of the server executes this.
SELECT pg_catalog.pg_backend_pid()
