-- Creates the table of events, where it is missing. One simple query, so one transaction.
CREATE SCHEMA IF NOT EXISTS ringfence;

-- Append-only, but for the oldest rows. It has no index on names: to read at most some 100,000 rows from the end is quick,
-- and every row that is added would pay for it.
CREATE TABLE IF NOT EXISTS ringfence.event (
    seq      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at       timestamptz NOT NULL,
    kind     text NOT NULL,
    name     text COLLATE "C" NOT NULL, -- empty: the whole store
    token    bigint NOT NULL, -- 0: none
    until    timestamptz,
    holder   text NOT NULL,
    cause    text NOT NULL,
    resource text NOT NULL,
    by_whom  text NOT NULL,
    detail   text NOT NULL,
    lost     bigint NOT NULL, -- of a gap: how many events
    id       text NOT NULL -- a row that was added twice has the same
);
