-- Say whether the tables that hold marks are there, with no right but to connect.
SELECT COUNT(*) = 3 FROM information_schema.tables
WHERE table_schema = DATABASE() AND table_name IN ('ringfence_mark', 'ringfence_mark_term', 'ringfence_mark_reset')
