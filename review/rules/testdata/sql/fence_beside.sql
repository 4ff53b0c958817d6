CREATE FUNCTION write_plan(i bigint, b text, p_fence bigint) RETURNS void AS $$
DECLARE
  seen bigint;
BEGIN
  SELECT fence INTO seen FROM plans WHERE id = i;
  IF seen > p_fence THEN
    RAISE EXCEPTION 'stale fence %', p_fence;
  END IF;
  UPDATE plans SET body = b, fence = p_fence WHERE id = i; -- want 15
END $$ LANGUAGE plpgsql;

CREATE FUNCTION write_plan_once(i bigint, b text, p_fence bigint) RETURNS boolean AS $$
BEGIN
  UPDATE plans SET body = b, fence = p_fence WHERE id = i AND fence < p_fence;
  RETURN FOUND;
END $$ LANGUAGE plpgsql;
