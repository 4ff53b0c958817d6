-- Creates the table of the journal, where it is missing. One simple query, so one transaction.
CREATE SCHEMA IF NOT EXISTS ringfence;

-- Append-only, but for the oldest rows. A row is what one program wrote at once: one row an event would cost ten times as
-- much. It has no index on names: to read all of it from the end is quick, and every row that is added would pay for one.
CREATE TABLE IF NOT EXISTS ringfence.journal (
    seq    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at     timestamptz NOT NULL, -- when it was written
    events bigint NOT NULL, -- how many
    bundle text NOT NULL -- the events, a JSON array; each says how many microseconds ago it was
);
