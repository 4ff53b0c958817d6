-- Store the last write of a term, to be asked for ever.
INSERT INTO ringfence_mark_term (resource, token, seq, `key`, at)
VALUES ($1, $2, $3, $4, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) DIV 1000)
ON DUPLICATE KEY UPDATE seq = VALUES(seq), `key` = VALUES(`key`), at = VALUES(at)
