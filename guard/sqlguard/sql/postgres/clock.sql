-- Read the clock, in milliseconds since 1970.
SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
