CREATE TABLE lease (volume VARCHAR(64) PRIMARY KEY, owner CHAR(36) NOT NULL, expires_at DATETIME(6) NOT NULL);
DELIMITER //
CREATE PROCEDURE move_chunk(IN p_volume VARCHAR(64), IN p_node VARCHAR(64), IN p_owner CHAR(36))
BEGIN
    DECLARE v_owner CHAR(36);
    START TRANSACTION;
    SELECT owner INTO v_owner FROM lease WHERE volume = p_volume AND expires_at > NOW(6) FOR UPDATE;
    IF v_owner IS NULL OR v_owner <> p_owner THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not yours';
    END IF;
    UPDATE placement SET node = p_node WHERE volume = p_volume;
    COMMIT;
END //
