-- Read the last write that a term made to a resource. It locks the row, to see what is there now.
SELECT seq, `key` FROM ringfence_mark_term WHERE resource = $1 AND token = $2 LOCK IN SHARE MODE
