CREATE FUNCTION claim(p_name text, p_owner text) RETURNS bigint AS $$
  INSERT INTO leases AS l (name, owner, token, expires_at)
  VALUES (p_name, p_owner, 1, clock_timestamp() + interval '30 seconds')
  ON CONFLICT (name) DO UPDATE
    SET owner = excluded.owner, token = l.token + 1, expires_at = excluded.expires_at
    WHERE l.expires_at < clock_timestamp()
  RETURNING token;
$$ LANGUAGE sql;

UPDATE leases SET expires_at = clock_timestamp() + interval '30 seconds' WHERE name = $1 AND owner = $2 AND token = $3 AND expires_at > clock_timestamp();
DELETE FROM leases WHERE name = $1 AND owner = $2 AND token = $3;
DELETE FROM user_sessions WHERE expires_at < now();
SELECT id FROM queue WHERE taken_by IS NULL ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;
UPDATE accounts SET locked = true, locked_at = now() WHERE failed_logins > 5;
LOCK TABLE books IN EXCLUSIVE MODE;
