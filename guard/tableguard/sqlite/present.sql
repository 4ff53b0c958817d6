-- Say whether there are marks, without a write.
SELECT count(*) > 0 FROM sqlite_master WHERE type = 'table' AND name = 'ringfence_guard_mark'
