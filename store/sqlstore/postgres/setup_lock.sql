-- Lets one client at a time create the schema, until the end of its transaction. The number is the project's own.
SELECT pg_advisory_xact_lock(7811853296114)
