CREATE TABLE berth (id int PRIMARY KEY, vessel text, sails timestamptz);

CREATE FUNCTION moor(p_id int, p_vessel text) RETURNS boolean AS $$
BEGIN
  UPDATE berth SET vessel = p_vessel, sails = clock_timestamp() + interval '1 minute'
   WHERE id = p_id AND (vessel IS NULL OR sails < clock_timestamp());
  RETURN FOUND;
END $$ LANGUAGE plpgsql;

CREATE FUNCTION cast_off(p_id int) RETURNS void AS $$
BEGIN
  UPDATE berth SET vessel = NULL WHERE id = p_id; -- want 1
END $$ LANGUAGE plpgsql;
