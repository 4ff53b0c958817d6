-- Tells the channel $1 something, to see whether it arrives.
SELECT pg_catalog.pg_notify($1, '')
