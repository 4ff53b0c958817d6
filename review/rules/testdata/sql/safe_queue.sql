BEGIN;
SELECT id FROM jobs WHERE state = 'ready' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 10;
UPDATE jobs SET state = 'done', locked_by = NULL WHERE id = ANY($1);
COMMIT;

DELETE FROM sessions WHERE expires_at < now();
DELETE FROM locked_accounts WHERE user_id = $1;
UPDATE coupons SET expires_at = now() + interval '1 year' WHERE id = $1;
