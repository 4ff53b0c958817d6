-- Read the last write that a term made to a resource.
SELECT seq, key FROM ringfence.mark_term WHERE resource = $1 AND token = $2
