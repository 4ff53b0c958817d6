-- Say whether there are marks.
SELECT to_regclass('ringfence.guard_mark') IS NOT NULL
