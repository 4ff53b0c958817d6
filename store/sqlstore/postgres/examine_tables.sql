-- Reads how the statistics of the server see the table of the leases: rows, rows that are dead, and its size on disk.
SELECT coalesce(max(n_live_tup), 0)::bigint, coalesce(max(n_dead_tup), 0)::bigint,
       coalesce(max(pg_total_relation_size(relid)), 0)::bigint
FROM pg_stat_all_tables
WHERE schemaname = 'ringfence' AND relname = 'lease'
