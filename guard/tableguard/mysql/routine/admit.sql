-- Judge the write of one row to a table that the lease named bound protects.
CREATE PROCEDURE ringfence_admit(bound VARBINARY(2048), rule VARCHAR(16), place VARCHAR(64) CHARACTER SET utf8mb4)
SQL SECURITY DEFINER
BEGIN
	DECLARE carried, mark, last BIGINT;
	DECLARE last_key, made_by, this_write VARBINARY(256);
	CALL ringfence_token(bound, carried, place);
	IF rule = 'latest' THEN
		-- Under a name of its own: what all routines call alike is locked as the strongest of them needs it.
		SELECT seen.token INTO mark FROM ringfence_guard_mark AS seen WHERE seen.lease = bound LOCK IN SHARE MODE;
	ELSE
		SELECT m.token, m.seq, m.`key`, m.`write` INTO mark, last, last_key, made_by FROM ringfence_guard_mark AS m WHERE m.lease = bound FOR UPDATE;
	END IF;
	IF mark IS NULL THEN
		CALL ringfence_refuse('not_established', 'the lease has no mark here; CALL ringfence_establish() first', place);
	ELSEIF mark > carried THEN
		CALL ringfence_superseded(bound, rule, carried, mark, place);
	ELSEIF mark < carried THEN
		CALL ringfence_raise(bound, carried);
	END IF;
	-- The statements of one transaction are one write where @ringfence_write says so; else each is one.
	SET this_write = COALESCE(NULLIF(LEFT(CAST(@ringfence_write AS BINARY), 64), ''), CONCAT(CONNECTION_ID(), ' at ', NOW(6)));
	IF rule <> 'latest' AND (mark < carried OR made_by <> this_write) THEN
		CALL ringfence_place(bound, rule, carried, IF(mark = carried, last, 0), last_key, this_write, place);
	END IF;
END
