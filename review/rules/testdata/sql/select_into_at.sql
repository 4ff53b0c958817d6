CREATE TABLE dbo.job_lock (name nvarchar(64) PRIMARY KEY, owner nvarchar(64) NOT NULL, expires_at datetime2 NOT NULL);
GO
CREATE PROCEDURE dbo.write_total @name nvarchar(64), @owner nvarchar(64), @total bigint
AS
BEGIN
    DECLARE @cur nvarchar(64);
    SELECT @cur = owner FROM dbo.job_lock WHERE name = @name;
    IF @cur IS NULL OR @cur <> @owner
    BEGIN
        THROW 50001, 'not the holder', 1;
    END
    UPDATE dbo.totals SET total = @total WHERE name = @name; -- want 12
END
