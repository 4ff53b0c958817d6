DELIMITER //
CREATE PROCEDURE grab(IN n VARCHAR(64), IN me VARCHAR(64), OUT got INT)
BEGIN
  DECLARE cur VARCHAR(64);
  SELECT owner INTO cur FROM app_locks WHERE name = n;
  IF cur IS NULL THEN
    UPDATE app_locks SET owner = me, taken_at = NOW() WHERE name = n; -- want 3
    SET got = 1;
  ELSE
    SET got = 0;
  END IF;
END//
CREATE PROCEDURE ungrab(IN n VARCHAR(64))
BEGIN
  UPDATE app_locks SET owner = NULL WHERE name = n; -- want 1
END//
DELIMITER ;
