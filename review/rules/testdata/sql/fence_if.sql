CREATE OR REPLACE FUNCTION save_doc(p_id bigint, p_body text, p_fence bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  last_fence bigint;
BEGIN
  SELECT d.fence INTO last_fence FROM docs d WHERE d.id = p_id;
  IF p_fence < last_fence THEN
    RAISE EXCEPTION 'stale';
  END IF;
  UPDATE docs SET body = p_body, fence = p_fence WHERE id = p_id; -- want 15
END $$;
