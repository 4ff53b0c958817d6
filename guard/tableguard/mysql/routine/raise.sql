-- Raise the locked mark of a lease, and keep the last write of the term that ends by it.
CREATE PROCEDURE ringfence_raise(bound VARBINARY(2048), carried BIGINT)
SQL SECURITY DEFINER
BEGIN
	INSERT INTO ringfence_guard_term (lease, token, seq, `key`)
	SELECT m.lease, m.token, m.seq, m.`key` FROM ringfence_guard_mark AS m WHERE m.lease = bound AND m.token < carried AND m.seq > 0
	ON DUPLICATE KEY UPDATE seq = VALUES(seq), `key` = VALUES(`key`);
	INSERT INTO ringfence_guard_mark (lease, token, at)
	VALUES (bound, carried, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) DIV 1000)
	ON DUPLICATE KEY UPDATE
		seq = IF(token < VALUES(token), 0, seq), `key` = IF(token < VALUES(token), '', `key`), `write` = IF(token < VALUES(token), '', `write`),
		at = IF(token < VALUES(token), VALUES(at), at), token = GREATEST(token, VALUES(token));
END
