CREATE TABLE app_locks (name varchar(64) PRIMARY KEY, owner varchar(64) NOT NULL);

-- acquire
INSERT INTO app_locks (name, owner) VALUES (?, ?); -- want 3

-- release
DELETE FROM app_locks WHERE name = ?; -- want 1
