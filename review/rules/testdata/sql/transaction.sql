BEGIN;
UPDATE workers SET seen = now() WHERE id = 3;
INSERT INTO leases AS l (name, owner, expires_at) VALUES ('sweep', 'w3', now() + interval '1 minute') -- want 17
ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at
 WHERE l.expires_at < now();
COMMIT;
