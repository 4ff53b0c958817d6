-- The triggers of ours on a table, as they were defined.
SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE AND name GLOB 'ringfence_guard_*'
