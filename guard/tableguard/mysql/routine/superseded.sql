-- Refuse an older term, and say whether its write had been made before it ended, where the rule can tell.
CREATE PROCEDURE ringfence_superseded(bound VARBINARY(2048), rule VARCHAR(16), carried BIGINT, mark BIGINT, place VARCHAR(64) CHARACTER SET utf8mb4)
SQL SECURITY DEFINER
BEGIN
	DECLARE landed BOOLEAN DEFAULT FALSE;
	IF rule = 'sequenced' THEN
		SELECT t.seq > @ringfence_seq OR t.seq = @ringfence_seq AND t.`key` = CAST(@ringfence_key AS BINARY) INTO landed
		FROM ringfence_guard_term AS t WHERE t.lease = bound AND t.token = carried;
	END IF;
	CALL ringfence_refuse('superseded', CONCAT('token ', carried, ' is below the mark ', mark, IF(landed, '; it had been applied', '. Stop')), place);
END
