DELIMITER //
CREATE PROCEDURE close_books(IN p_fence BIGINT, IN p_id BIGINT)
BEGIN
  DECLARE current_fence BIGINT;
  SELECT fence INTO current_fence FROM books WHERE id = p_id;
  IF current_fence > p_fence THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'stale';
  END IF;
  UPDATE books SET closed = 1, fence = p_fence WHERE id = p_id; -- want 15
END //
DELIMITER ;
