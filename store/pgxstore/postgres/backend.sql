-- Reads the process that executes this: a server names it when a connection begins, a pooler names anything.
SELECT pg_catalog.pg_backend_pid()
