-- Say whether there are marks.
SELECT COUNT(*) > 0 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'ringfence_guard_mark'
