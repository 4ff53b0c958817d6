BEGIN;
SELECT config FROM settings WHERE id = 1;
UPDATE leaders SET node = $1, term = term + 1, expires_at = now() + interval '10 seconds' -- want 17
WHERE name = $2 AND expires_at < now()
RETURNING term;
COMMIT;
