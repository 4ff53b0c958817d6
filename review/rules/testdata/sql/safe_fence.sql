CREATE FUNCTION put_doc(p_id bigint, p_body text, p_fence bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  last_fence bigint;
BEGIN
  SELECT fence INTO last_fence FROM docs WHERE id = p_id FOR UPDATE;
  IF p_fence < last_fence THEN
    RETURN false;
  END IF;
  UPDATE docs SET body = p_body, fence = p_fence WHERE id = p_id;
  RETURN true;
END $$;
