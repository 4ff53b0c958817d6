-- The routines of ours, with their versions.
SELECT routine_name, routine_comment FROM information_schema.routines
WHERE routine_schema = DATABASE() AND routine_type = 'PROCEDURE' AND routine_name LIKE 'ringfence\_%'
