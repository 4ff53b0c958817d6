-- Say whether the tables that hold marks are there, without a write.
SELECT count(*) = 3 FROM sqlite_master WHERE type = 'table' AND name IN ('ringfence_mark', 'ringfence_mark_term', 'ringfence_mark_reset')
