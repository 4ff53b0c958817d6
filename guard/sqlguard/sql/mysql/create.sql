-- Create the mark of a resource. Where somebody else just did, lock theirs: a duplicate key alone would lock it for readers, two of whom then wait for each other; two rows count as affected.
INSERT INTO ringfence_mark (resource, lease, token, seq, `key`, at, writes)
VALUES ($1, $2, $3, $4, $5, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) DIV 1000, 0)
ON DUPLICATE KEY UPDATE writes = writes + 1
