-- Read the fence that the session carries in @ringfence_fence: rf1:TOKEN:NAME, in which every byte of the name that is special is %XX.
CREATE PROCEDURE ringfence_fence(OUT token BIGINT, OUT name VARBINARY(2048), place VARCHAR(64) CHARACTER SET utf8mb4)
SQL SECURITY DEFINER
BEGIN
	DECLARE carried VARBINARY(2048) DEFAULT LEFT(CAST(@ringfence_fence AS BINARY), 2048);
	DECLARE number VARBINARY(2048) DEFAULT SUBSTRING_INDEX(SUBSTRING(carried, 5), ':', 1);
	DECLARE special INT;
	IF COALESCE(carried, '') = '' THEN
		CALL ringfence_refuse('invalid', 'no fence: SET @ringfence_fence = what RINGFENCE_FENCE says', place);
	ELSEIF LEFT(carried, 4) <> 'rf1:' OR NOT CONVERT(number USING latin1) REGEXP '^[1-9][0-9]{0,15}$' OR CONVERT(number, UNSIGNED) > 9007199254740991 THEN
		CALL ringfence_refuse('invalid', '@ringfence_fence is no fence; set it as RINGFENCE_FENCE says', place);
	END IF;
	SET token = CONVERT(number, UNSIGNED), carried = SUBSTRING(carried, LENGTH(number) + 6), name = '', special = LOCATE('%', carried);
	WHILE special > 0 DO
		SET name = CONCAT(name, LEFT(carried, special - 1), UNHEX(SUBSTRING(carried, special + 1, 2))), carried = SUBSTRING(carried, special + 3);
		SET special = LOCATE('%', carried);
	END WHILE;
	SET name = CONCAT(name, carried);
	IF token > (TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) DIV 1000 - 1704067200000 + 86400000) * 4096 THEN
		CALL ringfence_refuse('future', CONCAT('token ', token, ' is a day ahead of the clock here; no store granted it'), place);
	END IF;
END
