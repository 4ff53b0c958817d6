-- Creates the table of events, where it is missing.

-- Append-only, but for the oldest rows. It has no index on names: to read at most some 100,000 rows from the end is quick,
-- and every row that is added would pay for it. Times are milliseconds since 1970.
CREATE TABLE IF NOT EXISTS ringfence_event (
    seq      INTEGER PRIMARY KEY,
    at       INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    name     TEXT NOT NULL, -- empty: the whole store
    token    INTEGER NOT NULL, -- 0: none
    until    INTEGER,
    holder   TEXT NOT NULL,
    cause    TEXT NOT NULL,
    resource TEXT NOT NULL,
    by_whom  TEXT NOT NULL,
    detail   TEXT NOT NULL,
    lost     INTEGER NOT NULL, -- of a gap: how many events
    id       TEXT NOT NULL -- a row that was added twice has the same
) STRICT;
