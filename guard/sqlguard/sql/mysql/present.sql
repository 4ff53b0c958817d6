-- Say whether the tables that hold marks are there, with no right but to connect.
SELECT COUNT(*) = 2 FROM information_schema.tables
WHERE table_schema = DATABASE() AND table_name IN ('ringfence_mark', 'ringfence_mark_term')
