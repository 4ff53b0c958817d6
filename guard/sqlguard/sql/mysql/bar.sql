-- Read the token that no term of a resource may be at or below since its last reset; no row where there was none. It locks the row, to see what is there now.
SELECT above FROM ringfence_mark_reset WHERE resource = $1 ORDER BY incarnation DESC LIMIT 1 LOCK IN SHARE MODE
