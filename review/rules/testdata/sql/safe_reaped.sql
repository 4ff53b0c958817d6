CREATE TABLE job_mutex (name text PRIMARY KEY, holder text, taken_at timestamptz);

CREATE FUNCTION mutex_enter(p_name text, p_me text) RETURNS boolean AS $$
BEGIN
    UPDATE job_mutex SET holder = p_me, taken_at = now() WHERE name = p_name AND holder IS NULL;
    RETURN FOUND;
END $$ LANGUAGE plpgsql;

CREATE FUNCTION mutex_reap() RETURNS void AS $$
BEGIN
    UPDATE job_mutex SET holder = NULL WHERE taken_at < now() - interval '10 minutes';
END $$ LANGUAGE plpgsql;
