-- Read the counts of refusals by day since 1970 and cause, of the days that are kept.
SELECT last_value >> 32 AS day, substring(sequencename FROM '^refused_(.*)_[0-9]+$') AS cause, last_value & 4294967295 AS count
FROM pg_sequences
WHERE schemaname = 'ringfence' AND sequencename LIKE 'refused\_%' AND last_value >> 32 > extract(epoch FROM clock_timestamp())::bigint / 86400 - 32
ORDER BY day, cause
