CREATE PROCEDURE take_pump(IN p_id INT, IN p_op VARCHAR(40), OUT p_ok INT)
BEGIN
  DECLARE v_op VARCHAR(40);
  DECLARE v_until DATETIME;
  SELECT operator, free_at INTO v_op, v_until FROM pumps WHERE id = p_id;
  IF v_op IS NULL OR v_until < NOW() THEN
    UPDATE pumps SET operator = p_op, free_at = NOW() + INTERVAL 1 MINUTE WHERE id = p_id; -- want 3
    SET p_ok = 1;
  ELSE
    SET p_ok = 0;
  END IF;
END;

CREATE PROCEDURE free_pump(IN p_id INT)
BEGIN
  UPDATE pumps SET operator = NULL WHERE id = p_id; -- want 1
END;
