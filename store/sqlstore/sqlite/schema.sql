-- Creates the tables and the identity of this database file. Running it again changes nothing.

-- One row a name. A row stays when its term is over: it carries the last token.
CREATE TABLE IF NOT EXISTS ringfence_lease (
    name       TEXT PRIMARY KEY COLLATE BINARY,
    token      INTEGER NOT NULL CHECK (token BETWEEN 1 AND 9007199254740991),
    attempt    TEXT NOT NULL,
    holder     TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('held', 'released', 'forced')),
    granted_at INTEGER NOT NULL, -- milliseconds since 1970, as all times here
    expires_at INTEGER NOT NULL, -- of a term that was ended early: when
    ended_by   TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;

-- One row for the whole store: a random identity of this file, and the floor of its tokens.
CREATE TABLE IF NOT EXISTS ringfence_store (
    single              INTEGER PRIMARY KEY DEFAULT 1 CHECK (single = 1),
    schema_version      INTEGER NOT NULL,
    identity            TEXT NOT NULL,
    previous_identity   TEXT NOT NULL DEFAULT '',
    identity_changed_at INTEGER,
    floor               INTEGER NOT NULL DEFAULT 0 CHECK (floor BETWEEN 0 AND 9007199254740991)
) STRICT;

-- Who waits for a name, in the order in which they came: the living ones are served before anybody else. A place lives while
-- its owner says so.
CREATE TABLE IF NOT EXISTS ringfence_line (
    place     INTEGER PRIMARY KEY AUTOINCREMENT,
    name      TEXT NOT NULL COLLATE BINARY,
    attempt   TEXT NOT NULL,
    holder    TEXT NOT NULL,
    joined_at INTEGER NOT NULL,
    lapses_at INTEGER NOT NULL,
    UNIQUE (name, attempt)
) STRICT;

-- SQLite numbers a key of this kind by itself where it is left out, whatever its default.
INSERT INTO ringfence_store (single, schema_version, identity)
VALUES (1, 1, lower(hex(randomblob(16))))
ON CONFLICT DO NOTHING;
