CREATE FUNCTION take(p_name text, p_owner text, p_ttl interval) RETURNS bigint LANGUAGE sql AS $$
  INSERT INTO lease AS l (name, owner, fence, expires_at) VALUES (p_name, p_owner, 1, clock_timestamp() + p_ttl)
  ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, fence = l.fence + 1, expires_at = excluded.expires_at WHERE l.expires_at < clock_timestamp()
  RETURNING fence;
$$;
CREATE FUNCTION give(p_name text, p_fence bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM lease WHERE name = p_name AND fence = p_fence;
  RETURN FOUND;
END $$;
CREATE FUNCTION write_it(p bigint, v int, f bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(p);
  UPDATE t SET v = v, fence = f WHERE id = p AND fence <= f;
  IF NOT FOUND THEN RAISE EXCEPTION 'stale'; END IF;
END $$;
