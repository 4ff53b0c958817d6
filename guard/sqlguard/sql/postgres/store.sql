-- Store the mark of a resource whose row is locked.
UPDATE ringfence.mark SET token = $2, seq = $3, key = $4, at = clock_timestamp() WHERE resource = $1
