CREATE TABLE job_lock (name text primary key, holder text not null, expires_at timestamptz not null);
CREATE FUNCTION write_total(p_name text, p_holder text, p_total bigint) RETURNS void AS $$
BEGIN
    PERFORM 1 FROM job_lock WHERE name = p_name AND holder = p_holder AND expires_at > now();
    IF NOT FOUND THEN
        RAISE EXCEPTION 'not the holder';
    END IF;
    INSERT INTO totals (name, total) VALUES (p_name, p_total); -- want 12
END;
$$ LANGUAGE plpgsql;
