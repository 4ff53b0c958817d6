CREATE TABLE job_lock (name text primary key, holder text not null, expires_at timestamptz not null);
CREATE FUNCTION write_total(p_name text, p_holder text, p_total bigint) RETURNS void AS $$
DECLARE
    cur text;
BEGIN
    SELECT holder INTO cur FROM job_lock WHERE name = p_name;
    IF cur IS DISTINCT FROM p_holder THEN
        RAISE EXCEPTION 'not the holder';
    END IF;
    UPDATE totals SET total = p_total WHERE name = p_name; -- want 12
END;
$$ LANGUAGE plpgsql;
