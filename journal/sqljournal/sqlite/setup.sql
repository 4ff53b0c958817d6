-- Creates the table of the journal, where it is missing.

-- Append-only, but for the oldest rows. A row is what one program wrote at once: one row an event would cost ten times as
-- much. It has no index on names: to read all of it from the end is quick, and every row that is added would pay for one.
CREATE TABLE IF NOT EXISTS ringfence_journal (
    seq    INTEGER PRIMARY KEY,
    at     INTEGER NOT NULL, -- when it was written, in milliseconds since 1970
    events INTEGER NOT NULL, -- how many
    bundle TEXT NOT NULL -- the events, a JSON array; each says how many microseconds ago it was
) STRICT;
