-- Judge a row under the rule latest. Its usual case, the term that the mark is of, is judged here: a call costs ten times as much.
BEGIN
	DECLARE mark BIGINT;
	SELECT seen.token INTO mark FROM ringfence_guard_mark AS seen WHERE seen.lease = {name} LOCK IN SHARE MODE;
	IF NOT COALESCE(CAST(@ringfence_fence AS BINARY) = CONCAT('rf1:', mark, ':', {text}), FALSE) THEN
		CALL ringfence_admit({name}, '{rule}', {place});
	END IF;
END
