-- Creates the schema, its tables and the record of this server. Running it again changes nothing.
CREATE SCHEMA IF NOT EXISTS ringfence;

-- One row a name. A row stays when its term is over: it carries the last token.
-- Names compare byte for byte, whatever the database's own collation is. No CHECK stands here: PostgreSQL would
-- parse it again in every statement, for a fifth of what the statement costs.
CREATE TABLE IF NOT EXISTS ringfence.lease (
    name       text COLLATE "C" PRIMARY KEY,
    token      bigint NOT NULL, -- 1 to 2^53 - 1
    attempt    text NOT NULL,
    holder     text NOT NULL,
    state      text NOT NULL, -- held, released or forced
    granted_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL, -- of a term that was ended early: when
    ended_by   text NOT NULL DEFAULT ''
) WITH (fillfactor = 70);

-- One row for the whole store: which server wrote it, and the floor of its tokens.
CREATE TABLE IF NOT EXISTS ringfence.store (
    single              boolean PRIMARY KEY DEFAULT true CHECK (single),
    schema_version      integer NOT NULL,
    identity            text NOT NULL,
    previous_identity   text NOT NULL DEFAULT '',
    identity_changed_at timestamptz,
    floor               bigint NOT NULL DEFAULT 0 CHECK (floor BETWEEN 0 AND 9007199254740991)
);

-- Who waits for a name and would like to be told when it is free, in the order of their places. A release tells the first
-- whose listener lives. Both tables are about processes that run now, so they need not outlive the server: without a
-- log, to wait costs no flush to disk.
CREATE UNLOGGED TABLE IF NOT EXISTS ringfence.waiter (
    name     text COLLATE "C",
    place    bigint GENERATED ALWAYS AS IDENTITY,
    listener text NOT NULL,
    PRIMARY KEY (name, place)
);

-- One row for each connection that listens, by its channel. It lives while its process says so.
CREATE UNLOGGED TABLE IF NOT EXISTS ringfence.listener (
    channel    text PRIMARY KEY,
    expires_at timestamptz NOT NULL
) WITH (fillfactor = 50);

INSERT INTO ringfence.store (schema_version, identity)
SELECT 1, /*identity*/
ON CONFLICT DO NOTHING;
