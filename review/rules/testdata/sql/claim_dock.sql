CREATE PROCEDURE claim_dock(IN p_dock INT, IN p_lorry VARCHAR(40), IN p_sent DATETIME, IN p_minutes INT, OUT p_got INT)
BEGIN
  UPDATE docks -- want 6
     SET claimed_by = p_lorry, claim_until = DATE_ADD(p_sent, INTERVAL p_minutes MINUTE)
   WHERE id = p_dock AND (claimed_by IS NULL OR claim_until < p_sent);
  SET p_got = ROW_COUNT();
END;

CREATE PROCEDURE claim_gate(IN p_gate INT, IN p_lorry VARCHAR(40), IN p_minutes INT, OUT p_got INT)
BEGIN
  UPDATE gates
     SET claimed_by = p_lorry, claim_until = DATE_ADD(NOW(6), INTERVAL p_minutes MINUTE)
   WHERE id = p_gate AND (claimed_by IS NULL OR claim_until < NOW(6));
  SET p_got = ROW_COUNT();
END;
