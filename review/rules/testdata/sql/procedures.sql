CREATE PROCEDURE dbo.TakeLock @name sysname, @owner sysname AS
BEGIN
  IF EXISTS (SELECT 1 FROM dbo.AppLock WHERE Name = @name AND ExpiresAt > GETDATE())
    RETURN 0;
  DELETE FROM dbo.AppLock WHERE Name = @name; -- want 1
  INSERT INTO dbo.AppLock (Name, Owner, ExpiresAt) VALUES (@name, @owner, DATEADD(second, 60, GETDATE())); -- want 3
  RETURN 1;
END
GO
DELIMITER //
CREATE PROCEDURE run_report()
BEGIN
  DECLARE got INT;
  SELECT GET_LOCK('report', 10) INTO got;
  UPDATE report SET state = 'done';
  DO RELEASE_LOCK('report');
END //
DELIMITER ;
UPDATE locks SET owner = NULL WHERE name = 'x'; -- want 1
