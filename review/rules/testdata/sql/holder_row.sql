-- Take, keep, give back: one row a job.
CREATE OR REPLACE FUNCTION take_job(j text, me text) RETURNS boolean AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM job_lock WHERE job = j AND expires_at > now()) THEN
    RETURN false;
  END IF;
  UPDATE job_lock SET holder = me, expires_at = now() + interval '1 minute' WHERE job = j; -- want 3
  RETURN true;
END $$ LANGUAGE plpgsql;

CREATE OR REPLACE FUNCTION drop_job(j text) RETURNS void AS $$
BEGIN
  DELETE FROM job_lock WHERE job = j; -- want 1
END $$ LANGUAGE plpgsql;
