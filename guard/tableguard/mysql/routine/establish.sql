-- Begin the session's term: raise the mark of its lease, or make it where there is none. It is for writers to call.
CREATE PROCEDURE ringfence_establish()
SQL SECURITY DEFINER
BEGIN
	DECLARE carried, mark BIGINT;
	DECLARE name VARBINARY(2048);
	CALL ringfence_fence(carried, name, 'establish');
	IF name IS NULL OR LENGTH(name) NOT BETWEEN 1 AND 512 THEN
		CALL ringfence_refuse('invalid', '@ringfence_fence is no fence; set it as RINGFENCE_FENCE says', 'establish');
	END IF;
	CALL ringfence_raise(name, carried);
	SELECT m.token INTO mark FROM ringfence_guard_mark AS m WHERE m.lease = name FOR UPDATE;
	IF mark > carried THEN
		CALL ringfence_refuse('superseded', CONCAT('token ', carried, ' is below the mark ', mark, '. Stop'), 'establish');
	END IF;
END
