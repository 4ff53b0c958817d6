-- The token of the fence that the session carries, which has to be for the lease named bound.
CREATE PROCEDURE ringfence_token(bound VARBINARY(2048), OUT token BIGINT, place VARCHAR(64) CHARACTER SET utf8mb4)
SQL SECURITY DEFINER
BEGIN
	DECLARE name VARBINARY(2048);
	CALL ringfence_fence(token, name, place);
	IF NOT name <=> bound OR name IS NULL THEN
		CALL ringfence_refuse('invalid', CONCAT('the fence is for another lease than ', QUOTE(CONVERT(LEFT(COALESCE(bound, ''), 40) USING utf8mb4))), place);
	END IF;
END
