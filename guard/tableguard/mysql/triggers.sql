-- The triggers of ours on a table.
SELECT event_object_table, trigger_name FROM information_schema.triggers
WHERE trigger_schema = DATABASE() AND trigger_name LIKE 'ringfence\_%' AND BINARY event_object_table = BINARY ?
