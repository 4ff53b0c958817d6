-- Judge the place of a write in its term, and keep it: last and its key are those of the write before it. The mark is locked.
CREATE PROCEDURE ringfence_place(bound VARBINARY(2048), rule VARCHAR(16), carried BIGINT, last BIGINT, last_key VARBINARY(256), this_write VARBINARY(256),
	place VARCHAR(64) CHARACTER SET utf8mb4)
SQL SECURITY DEFINER
BEGIN
	DECLARE number VARBINARY(32) DEFAULT IF(rule = 'sequenced', COALESCE(LEFT(CAST(@ringfence_seq AS BINARY), 32), ''), '1');
	DECLARE this_key VARBINARY(257) DEFAULT COALESCE(LEFT(CAST(@ringfence_key AS BINARY), 257), '');
	DECLARE seq BIGINT;
	DECLARE message VARCHAR(128) CHARACTER SET utf8mb4;
	IF rule = 'sequenced' AND (this_key = '' OR NOT CONVERT(number USING latin1) REGEXP '^[1-9][0-9]{0,15}$' OR CONVERT(number, UNSIGNED) > 9007199254740991) THEN
		CALL ringfence_refuse('invalid', 'sequenced needs @ringfence_seq and @ringfence_key; set both', place);
	ELSEIF LENGTH(this_key) > 256 THEN
		CALL ringfence_refuse('invalid', '@ringfence_key has more than 256 bytes', place);
	END IF;
	SET seq = CONVERT(number, UNSIGNED);
	IF seq > last + 1 THEN
		CALL ringfence_refuse('out_of_sequence', CONCAT('write ', seq, ' came after write ', last, '; send the missing ones first'), place);
	ELSEIF seq < last OR seq = last AND this_key = last_key AND this_key <> '' THEN
		SET message = LEFT(CONCAT('ringfence: write ', seq, ' of token ', carried, ' was applied before. Go on [', place, ']'), 128);
		SIGNAL SQLSTATE 'RF000' SET MYSQL_ERRNO = 45000, MESSAGE_TEXT = message;
	ELSEIF seq = last THEN
		CALL ringfence_refuse('conflict', CONCAT('write ', seq, ' of token ', carried, ' was made with another key: two holders?'), place);
	END IF;
	UPDATE ringfence_guard_mark AS m
	SET m.seq = seq, m.`key` = this_key, m.`write` = this_write, m.at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) DIV 1000
	WHERE m.lease = bound;
END
