-- Create the mark of a resource; a duplicate key where somebody else just did.
INSERT INTO ringfence_mark (resource, lease, token, seq, `key`, at, writes)
VALUES ($1, $2, $3, $4, $5, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) DIV 1000, 0)
