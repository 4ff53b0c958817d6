-- Judge a row under a rule that counts writes. Its usual case, another row of the write that the mark is of, is judged here: a call costs ten times as much.
BEGIN
	DECLARE mark BIGINT;
	DECLARE made_by VARBINARY(64);
	SELECT m.token, m.`write` INTO mark, made_by FROM ringfence_guard_mark AS m WHERE m.lease = {name} FOR UPDATE;
	IF NOT COALESCE(CAST(@ringfence_fence AS BINARY) = CONCAT('rf1:', mark, ':', {text})
		AND made_by = COALESCE(NULLIF(LEFT(CAST(@ringfence_write AS BINARY), 64), ''), CONCAT(CONNECTION_ID(), ' at ', NOW(6))), FALSE) THEN
		CALL ringfence_admit({name}, '{rule}', {place});
	END IF;
END
