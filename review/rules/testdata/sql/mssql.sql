CREATE PROCEDURE take_lock @name varchar(64), @owner varchar(64), @until datetime2
AS
BEGIN
  IF EXISTS (SELECT 1 FROM app_locks WHERE name = @name AND expires_at > SYSUTCDATETIME())
    RETURN 1;
  UPDATE app_locks SET owner = @owner, expires_at = @until WHERE name = @name; -- want 3 6
END;
