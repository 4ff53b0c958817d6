-- Create what guarded tables have in common: marks, what a transaction carries, and what judges. Running it again brings the views and triggers up to date.
CREATE TABLE IF NOT EXISTS ringfence_guard_mark (
	lease TEXT PRIMARY KEY NOT NULL,
	token INTEGER NOT NULL CHECK (token BETWEEN 1 AND 9007199254740991),
	seq   INTEGER NOT NULL DEFAULT 0, -- the last write of that term; 0 when it only established
	key   TEXT NOT NULL DEFAULT '',
	at    INTEGER NOT NULL -- milliseconds since 1970
) STRICT;

-- The last writes of older terms, to be asked for ever.
CREATE TABLE IF NOT EXISTS ringfence_guard_term (
	lease TEXT NOT NULL,
	token INTEGER NOT NULL,
	seq   INTEGER NOT NULL,
	key   TEXT NOT NULL,
	PRIMARY KEY (lease, token)
) STRICT, WITHOUT ROWID;

-- The incarnations that were given up, as they were.
CREATE TABLE IF NOT EXISTS ringfence_guard_reset (
	lease       TEXT NOT NULL,
	incarnation INTEGER NOT NULL,
	token       INTEGER NOT NULL,
	seq         INTEGER NOT NULL,
	key         TEXT NOT NULL,
	reason      TEXT NOT NULL,
	by          TEXT NOT NULL,
	at          INTEGER NOT NULL, -- milliseconds since 1970
	PRIMARY KEY (lease, incarnation)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS ringfence_guarded (
	name  TEXT PRIMARY KEY NOT NULL,
	lease TEXT NOT NULL,
	rule  TEXT NOT NULL
) STRICT;

-- What the one transaction that can write carries. Its row refers to a row that can't be, from the commit on: so it has
-- to be deleted before, and no other transaction ever finds it.
CREATE TABLE IF NOT EXISTS ringfence_session (
	id      INTEGER PRIMARY KEY CONSTRAINT "a transaction carries one fence: DELETE FROM ringfence_session before the next" CHECK (id = 1),
	fence   TEXT NOT NULL, -- rf1:TOKEN:NAME, in which every byte of the name that is special is %XX
	seq     INTEGER,
	key     TEXT,
	token   INTEGER, -- of the fence
	lease   TEXT,
	written INTEGER NOT NULL DEFAULT 0, -- this transaction has made its write
	gone_at_commit INTEGER NOT NULL DEFAULT 0 CHECK (gone_at_commit = 0) REFERENCES ringfence_session (id) DEFERRABLE INITIALLY DEFERRED
) STRICT;

DROP VIEW IF EXISTS ringfence_carried;
DROP TRIGGER IF EXISTS ringfence_session_begin;
DROP TRIGGER IF EXISTS ringfence_session_stays;
DROP VIEW IF EXISTS ringfence_establish;
DROP VIEW IF EXISTS ringfence_admit;

-- The fence that the transaction carries, taken apart; no row where it is none.
CREATE VIEW ringfence_carried (token, lease) AS
WITH RECURSIVE
	part (number, name) AS (
		SELECT substr(fence, 5, instr(substr(fence, 5), ':') - 1), substr(fence, 5 + instr(substr(fence, 5), ':')) FROM ringfence_session
		WHERE fence GLOB 'rf1:[1-9]*:?*' AND length(fence) < 2048
	),
	digit (text, value) AS (
		VALUES ('0', 0), ('1', 1), ('2', 2), ('3', 3), ('4', 4), ('5', 5), ('6', 6), ('7', 7), ('8', 8), ('9', 9), ('A', 10), ('B', 11), ('C', 12), ('D', 13), ('E', 14), ('F', 15)
	),
	-- A name is UTF-8: the first byte of a character tells how many are to follow, each with six more bits of it.
	decoded (lease, rest, bits, follow) AS (
		SELECT '', name, 0, 0 FROM part
		UNION ALL
		SELECT
			lease || CASE
				WHEN rest NOT GLOB '%*' THEN substr(rest, 1, 1)
				WHEN follow = 1 THEN char((bits << 6) | (16 * high.value + low.value & 63))
				WHEN follow = 0 AND high.value < 8 THEN char(16 * high.value + low.value)
				ELSE ''
			END,
			substr(rest, CASE WHEN rest GLOB '%*' THEN 4 ELSE 2 END),
			CASE
				WHEN follow > 0 THEN (bits << 6) | (16 * high.value + low.value & 63)
				WHEN high.value < 14 THEN 16 * high.value + low.value & 31
				ELSE 16 * high.value + low.value & 15
			END,
			CASE WHEN follow > 0 THEN follow - 1 WHEN rest NOT GLOB '%*' OR high.value < 8 THEN 0 WHEN high.value < 14 THEN 1 ELSE high.value - 12 END
		FROM decoded
			LEFT JOIN digit AS high ON high.text = substr(rest, 2, 1)
			LEFT JOIN digit AS low ON low.text = substr(rest, 3, 1)
		WHERE rest <> ''
	)
SELECT CAST(number AS INTEGER), CASE WHEN instr(name, '%') = 0 THEN name ELSE (SELECT lease FROM decoded WHERE rest = '' AND follow = 0) END
FROM part
WHERE number NOT GLOB '*[^0-9]*' AND length(number) <= 16 AND CAST(number AS INTEGER) <= 9007199254740991;

-- A connection that does not enforce foreign keys could leave the row behind.
CREATE TRIGGER ringfence_session_begin AFTER INSERT ON ringfence_session
BEGIN
	SELECT RAISE(ABORT, 'ringfence refused the write: invalid: this connection does not enforce foreign keys, and could leave its fence behind. PRAGMA foreign_keys = ON, before BEGIN')
	WHERE NOT (SELECT foreign_keys FROM pragma_foreign_keys);
	UPDATE ringfence_session SET (token, lease) = (SELECT token, lease FROM ringfence_carried);
	SELECT RAISE(ABORT, 'ringfence refused the write: invalid: that is no fence. Insert the value of RINGFENCE_FENCE, as ringfence run gives it')
	FROM ringfence_session WHERE token IS NULL OR lease IS NULL;
END;

CREATE TRIGGER ringfence_session_stays BEFORE UPDATE OF id, fence, seq, key, gone_at_commit ON ringfence_session
BEGIN
	SELECT RAISE(ABORT, 'ringfence: what a transaction carries stays as it is. Delete it and insert another');
END;

-- INSERT INTO ringfence_establish VALUES (1) begins the term that the transaction carries: it raises the mark, or makes it where there is none.
CREATE VIEW ringfence_establish (now) AS SELECT 1 WHERE 0;
CREATE TRIGGER ringfence_establish_term INSTEAD OF INSERT ON ringfence_establish
BEGIN
	SELECT CASE
		WHEN s.id IS NULL THEN RAISE(ABORT, 'ringfence refused the write: invalid: this transaction carries no fence. INSERT INTO ringfence_session (fence) what RINGFENCE_FENCE says')
		WHEN s.token > (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) - 1704067200000 + 86400000) * 4096
			THEN RAISE(ABORT, 'ringfence refused the write: future: the token lies more than a day ahead of this clock. No store has granted it')
		WHEN m.token > s.token THEN RAISE(ABORT, 'ringfence refused the write: superseded: the token is below the mark. Stop: a newer holder has been here')
	END
	FROM (SELECT 1) LEFT JOIN ringfence_session AS s ON true LEFT JOIN ringfence_guard_mark AS m ON m.lease = s.lease;
	INSERT INTO ringfence_guard_term (lease, token, seq, key)
	SELECT m.lease, m.token, m.seq, m.key FROM ringfence_session AS s JOIN ringfence_guard_mark AS m ON m.lease = s.lease WHERE m.token < s.token AND m.seq > 0
	ON CONFLICT (lease, token) DO UPDATE SET seq = excluded.seq, key = excluded.key;
	INSERT INTO ringfence_guard_mark (lease, token, at)
	SELECT lease, token, CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) FROM ringfence_session WHERE true
	ON CONFLICT (lease) DO UPDATE SET token = excluded.token, seq = 0, key = '', at = excluded.at WHERE token < excluded.token;
END;

-- The triggers of guarded tables insert here the lease and the rule of each row that was written: it is judged.
CREATE VIEW ringfence_admit (lease, rule) AS SELECT '', '' WHERE 0;
CREATE TRIGGER ringfence_admit_write INSTEAD OF INSERT ON ringfence_admit
BEGIN
	SELECT CASE
		WHEN s.id IS NULL THEN RAISE(ABORT, 'ringfence refused the write: invalid: this transaction carries no fence. INSERT INTO ringfence_session (fence) what RINGFENCE_FENCE says')
		WHEN s.lease IS NOT NEW.lease THEN RAISE(ABORT, 'ringfence refused the write: invalid: the fence is for another lease. Run the work under the lease that protects what it writes')
		WHEN s.token > (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) - 1704067200000 + 86400000) * 4096
			THEN RAISE(ABORT, 'ringfence refused the write: future: the token lies more than a day ahead of this clock. No store has granted it')
		WHEN m.token IS NULL THEN RAISE(ABORT, 'ringfence refused the write: not_established: the lease has no mark here. INSERT INTO ringfence_establish VALUES (1) first')
		WHEN m.token > s.token AND NEW.rule = 'sequenced' AND EXISTS (
			SELECT 1 FROM ringfence_guard_term AS t WHERE t.lease = s.lease AND t.token = s.token AND (t.seq > s.seq OR t.seq = s.seq AND t.key = s.key))
			THEN RAISE(ABORT, 'ringfence refused the write: superseded: the token is below the mark. Stop: a newer holder has been here; this write had been applied before that')
		WHEN m.token > s.token THEN RAISE(ABORT, 'ringfence refused the write: superseded: the token is below the mark. Stop: a newer holder has been here')
	END
	FROM (SELECT 1) LEFT JOIN ringfence_session AS s ON true LEFT JOIN ringfence_guard_mark AS m ON m.lease = NEW.lease;
	INSERT INTO ringfence_guard_term (lease, token, seq, key)
	SELECT m.lease, m.token, m.seq, m.key FROM ringfence_session AS s JOIN ringfence_guard_mark AS m ON m.lease = s.lease WHERE m.token < s.token AND m.seq > 0
	ON CONFLICT (lease, token) DO UPDATE SET seq = excluded.seq, key = excluded.key;
	UPDATE ringfence_guard_mark
	SET token = (SELECT token FROM ringfence_session), seq = 0, key = '', at = CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)
	WHERE lease = NEW.lease AND token < (SELECT token FROM ringfence_session);
	-- What the transaction has not yet written takes its place in the term.
	SELECT CASE
		WHEN NEW.rule = 'sequenced' AND (coalesce(s.key, '') = '' OR length(CAST(s.key AS BLOB)) > 256 OR coalesce(s.seq, 0) NOT BETWEEN 1 AND 9007199254740991)
			THEN RAISE(ABORT, 'ringfence refused the write: invalid: the rule sequenced needs seq and key. Insert both into ringfence_session')
		WHEN CASE NEW.rule WHEN 'once' THEN 1 ELSE s.seq END > m.seq + 1
			THEN RAISE(ABORT, 'ringfence refused the write: out_of_sequence: an earlier write of this term is missing. Send the missing ones first, in their order')
		WHEN CASE NEW.rule WHEN 'once' THEN 1 ELSE s.seq END < m.seq OR CASE NEW.rule WHEN 'once' THEN 1 ELSE s.seq END = m.seq AND s.key = m.key AND s.key <> ''
			THEN RAISE(ABORT, 'ringfence: this write was applied before. Nothing was changed now. Go on')
		WHEN CASE NEW.rule WHEN 'once' THEN 1 ELSE s.seq END = m.seq
			THEN RAISE(ABORT, 'ringfence refused the write: conflict: this place in the term was taken with another key. Find out whether two holders share a term')
	END
	FROM ringfence_session AS s JOIN ringfence_guard_mark AS m ON m.lease = s.lease WHERE NEW.rule <> 'latest' AND NOT s.written;
	UPDATE ringfence_guard_mark
	SET seq = (SELECT CASE NEW.rule WHEN 'once' THEN 1 ELSE seq END FROM ringfence_session), key = (SELECT coalesce(key, '') FROM ringfence_session),
		at = CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)
	WHERE lease = NEW.lease AND NEW.rule <> 'latest' AND NOT (SELECT written FROM ringfence_session);
	UPDATE ringfence_session SET written = 1 WHERE NEW.rule <> 'latest' AND NOT written;
END;
