-- Create the tables that hold marks, where they are missing.
CREATE TABLE IF NOT EXISTS ringfence_mark (
	resource TEXT PRIMARY KEY NOT NULL,
	lease    TEXT NOT NULL,
	token    INTEGER NOT NULL CHECK (token BETWEEN 1 AND 9007199254740991),
	seq      INTEGER NOT NULL CHECK (seq BETWEEN 0 AND 9007199254740991),
	key      TEXT NOT NULL,
	at       INTEGER NOT NULL -- milliseconds since 1970
) STRICT;
CREATE TABLE IF NOT EXISTS ringfence_mark_term (
	resource TEXT NOT NULL,
	token    INTEGER NOT NULL CHECK (token BETWEEN 1 AND 9007199254740991),
	seq      INTEGER NOT NULL CHECK (seq BETWEEN 1 AND 9007199254740991),
	key      TEXT NOT NULL,
	at       INTEGER NOT NULL,
	PRIMARY KEY (resource, token)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ringfence_mark_reset (
	resource    TEXT NOT NULL,
	incarnation INTEGER NOT NULL,
	lease       TEXT NOT NULL,
	token       INTEGER NOT NULL,
	seq         INTEGER NOT NULL,
	key         TEXT NOT NULL,
	above       INTEGER NOT NULL CHECK (above BETWEEN 0 AND 9007199254740990),
	reason      TEXT NOT NULL,
	by          TEXT NOT NULL,
	role        TEXT NOT NULL,
	at          INTEGER NOT NULL,
	PRIMARY KEY (resource, incarnation)
) STRICT, WITHOUT ROWID;
