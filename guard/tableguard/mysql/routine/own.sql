-- Refuse a term that is not the present one in the lease table of this database, whose row stays locked against a takeover.
CREATE PROCEDURE ringfence_own(bound VARBINARY(2048), place VARCHAR(64) CHARACTER SET utf8mb4)
SQL SECURITY DEFINER
BEGIN
	DECLARE carried, granted BIGINT;
	DECLARE became VARCHAR(32);
	CALL ringfence_token(bound, carried, place);
	SELECT l.token, l.state INTO granted, became FROM ringfence_lease AS l WHERE l.name = bound LOCK IN SHARE MODE;
	IF granted IS NULL OR granted < carried THEN
		CALL ringfence_refuse('not_established', CONCAT('the lease table does not know token ', carried, '; acquire again'), place);
	ELSEIF granted > carried THEN
		CALL ringfence_refuse('superseded', CONCAT('token ', carried, ' is below the mark ', granted, '. Stop'), place);
	ELSEIF became <> 'held' THEN
		CALL ringfence_refuse('lapsed', CONCAT('the term with token ', carried, ' was ', became, '; acquire again'), place);
	END IF;
END
