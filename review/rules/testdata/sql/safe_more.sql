-- An account that is locked out is no lock.
UPDATE users SET locked_until = now() + interval '15 minutes' WHERE id = 7;
DELETE FROM sessions WHERE user_id = 7;

UPDATE leases SET expires_at = now() + interval '30 seconds'
 WHERE name = 'a' AND owner = 'b' AND token = 4 AND expires_at > now();

SELECT id FROM jobs WHERE state = 'ready' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;
