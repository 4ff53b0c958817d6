-- MySQL, a table of locks.
CREATE TABLE job_locks (name varchar(64) PRIMARY KEY, owner varchar(64), expires_at datetime);

INSERT IGNORE INTO job_locks (name, owner, expires_at) VALUES ('report', 'a', now() + INTERVAL 60 SECOND);

DELETE FROM job_locks WHERE name = 'report'; -- want 1

DELETE FROM job_locks WHERE expires_at < now();

UPDATE job_locks SET expires_at = now() + INTERVAL 60 SECOND WHERE name = 'report'; -- want 16
