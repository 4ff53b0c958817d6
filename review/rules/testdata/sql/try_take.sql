CREATE OR REPLACE FUNCTION try_take(p_name text, p_owner text, p_ttl interval) RETURNS boolean AS $$
DECLARE
  v_until timestamptz;
BEGIN
  SELECT locked_until INTO v_until FROM worker_locks WHERE name = p_name;
  IF FOUND AND v_until > now() THEN
    RETURN false;
  END IF;
  INSERT INTO worker_locks (name, owner, locked_until) VALUES (p_name, p_owner, now() + p_ttl) -- want 3
  ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, locked_until = excluded.locked_until;
  RETURN true;
END;
$$ LANGUAGE plpgsql;

CREATE OR REPLACE PROCEDURE give_back(p_name text) AS $$
BEGIN
  UPDATE worker_locks SET owner = NULL, locked_until = NULL WHERE name = p_name; -- want 1
END;
$$ LANGUAGE plpgsql;
