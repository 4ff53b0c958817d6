-- Create what all guarded tables of a database share: marks, counts and the functions that judge. Running it again brings the functions up to date.
-- The rest of the transaction names all that is not PostgreSQL's own with its schema, so that no function or operator that
-- somebody has put into public runs with the rights of whoever installs.
SET LOCAL search_path = pg_catalog, pg_temp;
CREATE SCHEMA IF NOT EXISTS ringfence;

-- What is there already, and is of somebody that the installing role does not trust, is refused: functions made anew keep their
-- owner, with whose rights they run, and that of the schema or of a table can put others in place of ours. Trusted are
-- superusers and the roles that the installing one is a member of; that a superuser passes for a member of each counts nothing.
-- So is the owner of the table ringfence.guarding, where a guard is installed without signatures.
DO $body$
DECLARE
	others text;
BEGIN
	WITH RECURSIVE mine (role) AS (
		SELECT oid FROM pg_roles WHERE rolname = current_user
		UNION SELECT relowner FROM pg_class WHERE oid = to_regclass(nullif(current_setting('ringfence.guarding', true), ''))
		UNION SELECT m.roleid FROM pg_auth_members AS m JOIN mine ON m.member = mine.role
	), ours (what, owner) AS (
		SELECT 'the schema ringfence', nspowner FROM pg_namespace WHERE nspname = 'ringfence'
		UNION ALL SELECT 'the function ' || oid::regprocedure, proowner FROM pg_proc WHERE pronamespace = 'ringfence'::regnamespace
		UNION ALL SELECT 'the relation ' || oid::regclass, relowner FROM pg_class
		WHERE relnamespace = 'ringfence'::regnamespace AND relkind NOT IN ('i', 'I') AND relname ~ '^(guard_|refused_|lease$)'
	)
	SELECT string_agg(format('%s is of %I', what, pg_get_userbyid(owner)), ', ' ORDER BY what DESC) INTO others
	FROM (SELECT * FROM ours WHERE owner NOT IN (SELECT role FROM mine)
		AND owner NOT IN (SELECT oid FROM pg_roles WHERE rolsuper) ORDER BY what DESC LIMIT 3) AS a_few;
	IF others IS NOT NULL THEN
		RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege', MESSAGE = format('ringfence: %s, whom %I does not trust with what runs by its rights; '
			|| 'drop it, or look at it and give it to %2$I by ALTER ... OWNER TO, or install the guard as its owner', others, current_user);
	END IF;
END
$body$;

-- One row a lease: the highest token that any guarded table has admitted or established.
CREATE TABLE IF NOT EXISTS ringfence.guard_mark (
	lease text COLLATE "C" PRIMARY KEY,
	token bigint NOT NULL CHECK (token BETWEEN 1 AND 9007199254740991),
	seq   bigint NOT NULL DEFAULT 0, -- the last write of that term; 0 when it only established
	key   text COLLATE "C" NOT NULL DEFAULT '',
	xact  xid8, -- the transaction that made this write, to which its other statements belong
	at    timestamptz NOT NULL DEFAULT clock_timestamp(),
	-- The mark counts in the database that it was established in, and in no copy of that one. It is there still while the
	-- server is the one that was started then and its file lies there; otherwise guard_home() tells.
	home    text COLLATE "C", -- guard_home() of then; NULL where no term has begun since a reset
	path    text COLLATE "C",
	started timestamptz,
	incarnation bigint NOT NULL DEFAULT 1 -- counts the resets
);

-- The last write of each term under the rule sequenced, to be asked for ever.
CREATE TABLE IF NOT EXISTS ringfence.guard_term (
	lease text COLLATE "C" NOT NULL,
	token bigint NOT NULL,
	seq   bigint NOT NULL,
	key   text COLLATE "C" NOT NULL,
	at    timestamptz NOT NULL,
	PRIMARY KEY (lease, token)
);

-- The incarnations that were given up, as they were: no mark is ever lowered but by a new one of these.
CREATE TABLE IF NOT EXISTS ringfence.guard_reset (
	lease       text COLLATE "C" NOT NULL,
	incarnation bigint NOT NULL,
	token       bigint NOT NULL,
	seq         bigint NOT NULL,
	key         text COLLATE "C" NOT NULL,
	at          timestamptz NOT NULL,
	home        text COLLATE "C",
	above       bigint NOT NULL, -- no token up to this one begins a term of the next incarnation
	reason      text NOT NULL,
	by          text NOT NULL,
	role        name NOT NULL DEFAULT session_user,
	reset_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
	PRIMARY KEY (lease, incarnation)
);

-- What was declared about this database: whether every standby that may be promoted has all that was committed.
CREATE TABLE IF NOT EXISTS ringfence.guard_site (
	one              boolean PRIMARY KEY DEFAULT true CHECK (one),
	trust_promotions boolean NOT NULL
);

-- Sequences count refusals, since nothing else outlives the transaction that a refusal rolls back. Each day of the
-- last 32 has its own for each cause; the value is the day since 1970, times 2^32, plus the count.
DO $body$
DECLARE
	cause text;
BEGIN
	FOREACH cause IN ARRAY ARRAY['superseded', 'out_of_sequence', 'conflict', 'lapsed', 'not_established', 'future', 'invalid'] LOOP
		CONTINUE WHEN to_regclass('ringfence.refused_' || cause || '_31') IS NOT NULL;
		FOR slot IN 0..31 LOOP
			EXECUTE format('CREATE SEQUENCE IF NOT EXISTS ringfence.%I MINVALUE 0 START 0', 'refused_' || cause || '_' || slot);
		END LOOP;
	END LOOP;
END
$body$;

-- The name in the text form of a fence, in which every byte that is special is %XX.
CREATE OR REPLACE FUNCTION ringfence.guard_unescape(escaped text) RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $body$
	SELECT convert_from(string_agg(
		CASE WHEN part[1] LIKE '\%%' THEN decode(substr(part[1], 2), 'hex') ELSE convert_to(part[1], 'UTF8') END, ''::bytea
		ORDER BY place), 'UTF8')
	FROM regexp_matches(escaped, '%[0-9A-F]{2}|[^%]+', 'g') WITH ORDINALITY AS m (part, place)
$body$;

-- Refuse the statement, count the refusal by its cause, and say what to do.
CREATE OR REPLACE FUNCTION ringfence.guard_refuse(cause text, relation oid, why text, todo text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
	today bigint := extract(epoch FROM clock_timestamp())::bigint / 86400;
	slot  text := 'ringfence.refused_' || cause || '_' || today % 32;
BEGIN
	IF nextval(slot::regclass) >> 32 <> today THEN
		PERFORM setval(slot::regclass, (today << 32) + 1);
	END IF;
	RAISE EXCEPTION USING
		ERRCODE = CASE cause
			WHEN 'superseded' THEN 'RF001' WHEN 'out_of_sequence' THEN 'RF002' WHEN 'conflict' THEN 'RF003' WHEN 'lapsed' THEN 'RF004'
			WHEN 'not_established' THEN 'RF005' WHEN 'future' THEN 'RF006' ELSE 'RF007' END,
		MESSAGE = format('ringfence refused the write to %s: %s: %s', relation::regclass, cause, why),
		HINT = todo;
END
$body$;

-- The token of the fence that the session carries, which has to be for the lease named bound.
CREATE OR REPLACE FUNCTION ringfence.guard_token(bound text, relation oid) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
	carried text := current_setting('ringfence.fence', true);
	number  text := split_part(carried, ':', 2);
	name    text := substr(carried, length(number) + 6);
	token   bigint;
BEGIN
	IF carried IS NULL OR carried = '' THEN
		PERFORM ringfence.guard_refuse('invalid', relation, 'this session carries no fence',
			'Start the program under `ringfence run`, with PGOPTIONS="-c ringfence.fence=$RINGFENCE_FENCE".');
	ELSIF split_part(carried, ':', 1) <> 'rf1' OR number !~ '^[1-9][0-9]{0,15}$' OR number::bigint > 9007199254740991 THEN
		PERFORM ringfence.guard_refuse('invalid', relation, 'ringfence.fence is not a fence',
			'Set it to the value of RINGFENCE_FENCE, as `ringfence run` gives it.');
	END IF;
	IF position('%' IN name) > 0 THEN
		name := ringfence.guard_unescape(name);
	END IF;
	token := number;
	IF name IS DISTINCT FROM bound COLLATE "C" THEN
		PERFORM ringfence.guard_refuse('invalid', relation,
			format('the fence is for the lease %s, and %s protects this', quote_literal(left(name, 64)), quote_literal(left(bound, 64))),
			'Run the work under the lease that protects what it writes.');
	ELSIF token > (floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint - 1704067200000 + 86400000) * 4096 THEN
		PERFORM ringfence.guard_refuse('future', relation, format('token %s lies more than a day ahead of this server''s clock', token),
			'No store has granted it. Find out who made it up, and compare the clocks of the store and of this server.');
	END IF;
	RETURN token;
END
$body$;

-- Refuse a term that is not the present one in the lease table of this database, whose row stays locked against a takeover.
CREATE OR REPLACE FUNCTION ringfence.guard_own(bound text, token bigint, relation oid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
	term record;
BEGIN
	SELECT l.token, l.state INTO term FROM ringfence.lease AS l WHERE l.name = bound FOR SHARE;
	IF term.token IS NULL OR term.token < token THEN
		PERFORM ringfence.guard_refuse('not_established', relation, format('the lease table does not know token %s', token),
			'The lease must live in this database. If the table is an older copy, acquire again.');
	ELSIF term.token > token THEN
		PERFORM ringfence.guard_refuse('superseded', relation, format('token %s is below %s, the last one granted', token, term.token),
			'Stop: a newer holder has the lease.');
	ELSIF term.state <> 'held' THEN
		PERFORM ringfence.guard_refuse('lapsed', relation, format('the term with token %s was %s', token, term.state), 'Acquire again.');
	END IF;
END
$body$;

-- The advisory lock of a lease. Whoever raises the mark takes it alone and then the row; whoever writes in a term whose
-- mark stands shares it, which costs no write where FOR SHARE costs one a transaction.
CREATE OR REPLACE FUNCTION ringfence.guard_lock(bound text) RETURNS bigint
LANGUAGE sql IMMUTABLE RETURN hashtextextended('ringfence guard ' || bound, 0);

-- Which database this is: the server's system identifier, where that isn't hidden, the database, the table of marks, and last
-- the timeline, which a recovery to a point in time or a promotion begins.
CREATE OR REPLACE FUNCTION ringfence.guard_home() RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
	server text := '';
BEGIN
	IF has_function_privilege('pg_control_system()', 'EXECUTE') THEN
		SELECT system_identifier INTO server FROM pg_control_system();
	END IF;
	RETURN concat_ws('/', server, (SELECT oid FROM pg_database WHERE datname = current_database()), 'ringfence.guard_mark'::regclass::oid,
		left(pg_walfile_name(pg_current_wal_lsn()), 8));
END
$body$;

-- Whether a mark that was established at home counts here. One that does is known again by the next statements, unless somebody
-- else is at it.
CREATE OR REPLACE FUNCTION ringfence.guard_at_home(bound text, home text) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
	here text := ringfence.guard_home();
BEGIN
	IF home IS DISTINCT FROM here AND NOT coalesce(left(home, -8) = left(here, -8) AND (SELECT trust_promotions FROM ringfence.guard_site), false) THEN
		RETURN false;
	END IF;
	IF current_setting('transaction_isolation') = 'read committed' THEN
		UPDATE ringfence.guard_mark AS m SET path = pg_relation_filepath(m.tableoid), started = pg_postmaster_start_time()
		WHERE m.lease = (SELECT f.lease FROM ringfence.guard_mark AS f WHERE f.lease = bound FOR NO KEY UPDATE SKIP LOCKED);
	END IF;
	RETURN true;
END
$body$;

-- Begin the session's term: raise the mark, or make it where there is none.
CREATE OR REPLACE FUNCTION ringfence.guard_establish(bound text, rule text, relation oid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
	token bigint := ringfence.guard_token(bound, relation);
	mark  bigint;
BEGIN
	IF rule = 'owned' THEN
		PERFORM ringfence.guard_own(bound, token, relation);
		RETURN;
	END IF;
	PERFORM pg_advisory_xact_lock(ringfence.guard_lock(bound));
	INSERT INTO ringfence.guard_mark AS m (lease, token, home, path, started)
	VALUES (bound, token, ringfence.guard_home(), pg_relation_filepath('ringfence.guard_mark'), pg_postmaster_start_time())
	ON CONFLICT (lease) DO UPDATE SET token = excluded.token, xact = NULL, at = clock_timestamp(),
		seq = CASE WHEN m.token < excluded.token THEN 0 ELSE m.seq END, key = CASE WHEN m.token < excluded.token THEN '' ELSE m.key END,
		home = excluded.home, path = excluded.path, started = excluded.started
	WHERE m.token < excluded.token OR m.token = excluded.token AND m.home IS DISTINCT FROM excluded.home;
	SELECT m.token INTO mark FROM ringfence.guard_mark AS m WHERE m.lease = bound FOR SHARE;
	IF mark > token THEN
		PERFORM ringfence.guard_refuse('superseded', relation, format('token %s is below the mark %s', token, mark),
			'Stop: a newer holder has been here.');
	END IF;
END
$body$;

-- Whether the write that the session numbers was applied while its term lasted. It was for good: nothing of that term can be any more.
CREATE OR REPLACE FUNCTION ringfence.guard_landed(bound text, token bigint) RETURNS boolean
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $body$
	SELECT EXISTS (SELECT FROM ringfence.guard_term AS t WHERE t.lease = bound AND t.token = guard_landed.token
		AND (t.seq::text = s.seq AND t.key = s.key OR s.seq ~ '^[1-9][0-9]{0,15}$' AND t.seq > s.seq::bigint))
	FROM (SELECT current_setting('ringfence.seq', true) AS seq, current_setting('ringfence.key', true) AS key) AS s
$body$;

-- Judge one write to a table that the lease named bound protects.
CREATE OR REPLACE FUNCTION ringfence.guard_admit(bound text, rule text, relation oid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
<<call>>
DECLARE
	token bigint := ringfence.guard_token(bound, relation);
	mark  record;
BEGIN
	IF rule = 'owned' THEN
		PERFORM ringfence.guard_own(bound, token, relation);
		RETURN;
	END IF;
	SELECT m.token INTO mark FROM ringfence.guard_mark AS m WHERE m.lease = bound;
	IF mark.token IS NULL OR mark.token < token THEN -- where there is none, an older term may be about to make it
		PERFORM pg_advisory_xact_lock(ringfence.guard_lock(bound));
	END IF;
	IF rule = 'latest' AND (mark.token IS NULL OR mark.token < token) THEN
		UPDATE ringfence.guard_mark AS m SET token = call.token, seq = 0, key = '', xact = NULL, at = clock_timestamp()
		WHERE m.lease = bound AND m.token < call.token;
	END IF;
	IF rule = 'latest' THEN
		SELECT *, m.path = pg_relation_filepath(m.tableoid) AND m.started = pg_postmaster_start_time() AS known INTO mark
		FROM ringfence.guard_mark AS m WHERE m.lease = bound FOR SHARE;
	ELSE
		SELECT *, m.path = pg_relation_filepath(m.tableoid) AND m.started = pg_postmaster_start_time() AS known INTO mark
		FROM ringfence.guard_mark AS m WHERE m.lease = bound FOR UPDATE;
	END IF;
	IF mark.token IS NULL THEN
		PERFORM ringfence.guard_refuse('not_established', relation, format('the lease %s has no mark here', quote_literal(left(bound, 64))),
			'Establish the term first: `ringfence run --establish URL`. After a restore, run `ringfence recover` before that.');
	ELSIF mark.token > token THEN
		PERFORM ringfence.guard_refuse('superseded', relation, format('token %s is below the mark %s', token, mark.token)
			|| CASE WHEN rule = 'sequenced' AND ringfence.guard_landed(bound, token) THEN '; this write had been applied' ELSE '' END,
			'Stop: a newer holder has been here.');
	ELSIF mark.known IS NOT TRUE AND NOT ringfence.guard_at_home(bound, mark.home) THEN
		PERFORM ringfence.guard_refuse('not_established', relation, format('the mark of the lease %s is of %s', quote_literal(left(bound, 64)), CASE
			WHEN mark.home IS NULL THEN 'an incarnation in which no term has begun'
			ELSE 'another database, of which this is a copy, or of the time before a recovery' END),
			'Establish the term: `ringfence run --establish URL`, or raise all marks at once: `ringfence recover`. In a copy, look what it lacks.');
	ELSIF rule <> 'latest' AND (mark.token < token OR mark.xact IS DISTINCT FROM pg_current_xact_id()) THEN
		PERFORM ringfence.guard_place(bound, rule, relation, token, CASE WHEN mark.token = token THEN mark.seq ELSE 0 END, mark.key);
	END IF;
END
$body$;

-- Judge the place of a write in its term, and keep it: last and its key are those of the write before it. The mark is locked.
CREATE OR REPLACE FUNCTION ringfence.guard_place(bound text, rule text, relation oid, token bigint, last bigint, last_key text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
<<call>>
DECLARE
	place text := '1';
	key   text := coalesce(current_setting('ringfence.key', true), '');
BEGIN
	IF rule = 'sequenced' THEN
		place := coalesce(current_setting('ringfence.seq', true), '');
	END IF;
	IF octet_length(key) > 256 THEN
		PERFORM ringfence.guard_refuse('invalid', relation, 'ringfence.key has more than 256 bytes', 'Set a shorter one, the same for every try of a write.');
	ELSIF rule = 'sequenced' AND (key = '' OR place !~ '^[1-9][0-9]{0,15}$' OR place::bigint > 9007199254740991) THEN
		PERFORM ringfence.guard_refuse('invalid', relation, 'the rule sequenced needs ringfence.seq and ringfence.key',
			'Set both in the transaction: SET LOCAL ringfence.seq = 1; SET LOCAL ringfence.key = ''...'';');
	ELSIF place::bigint > last + 1 THEN
		PERFORM ringfence.guard_refuse('out_of_sequence', relation, format('write %s of token %s came after write %s', place, token, last),
			'Send the missing writes first, in their order.');
	ELSIF place::bigint < last OR place::bigint = last AND key = last_key AND key <> '' THEN
		RAISE EXCEPTION USING ERRCODE = 'RF000', HINT = 'Nothing was changed now. Go on.',
			MESSAGE = format('ringfence: write %s of token %s to %s was applied before', place, token, relation::regclass);
	ELSIF place::bigint = last THEN
		PERFORM ringfence.guard_refuse('conflict', relation, format('write %s of token %s has been made already, with another key', place, token),
			'Find out whether two holders share a term. For several writes in a term, use the rule sequenced or latest.');
	END IF;
	UPDATE ringfence.guard_mark AS m
	SET token = guard_place.token, seq = place::bigint, key = call.key, xact = pg_current_xact_id(), at = clock_timestamp()
	WHERE m.lease = bound;
	IF rule = 'sequenced' THEN
		INSERT INTO ringfence.guard_term AS t (lease, token, seq, key, at) VALUES (bound, guard_place.token, place::bigint, call.key, clock_timestamp())
		ON CONFLICT ON CONSTRAINT guard_term_pkey DO UPDATE SET seq = excluded.seq, key = excluded.key, at = excluded.at;
	END IF;
END
$body$;

-- Before a statement that writes to a table whose lease has a fixed name. The arguments are the rule, the name, and what
-- follows the number in the text of its fences. The usual write, in the term that the mark is of, is judged here; a snapshot
-- that is older than the lock could not be, so only READ COMMITTED is.
CREATE OR REPLACE FUNCTION ringfence.guard_statement() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
	carried text := current_setting('ringfence.fence', true);
	mark    bigint;
BEGIN
	IF TG_ARGV[0] = 'latest' AND current_setting('transaction_isolation') = 'read committed' THEN
		SELECT m.token INTO mark FROM ringfence.guard_mark AS m
		WHERE m.lease = TG_ARGV[1] AND m.path = pg_relation_filepath(m.tableoid) AND m.started = pg_postmaster_start_time();
		IF carried = 'rf1:' || mark || TG_ARGV[2] THEN
			PERFORM pg_advisory_xact_lock_shared(ringfence.guard_lock(TG_ARGV[1]));
			SELECT m.token INTO mark FROM ringfence.guard_mark AS m WHERE m.lease = TG_ARGV[1] AND m.home IS NOT NULL;
			IF carried = 'rf1:' || mark || TG_ARGV[2] THEN
				RETURN NULL;
			END IF;
		END IF;
	END IF;
	IF current_setting('ringfence.establish', true) = 'on' AND TG_OP <> 'TRUNCATE' THEN
		PERFORM ringfence.guard_establish(TG_ARGV[1], TG_ARGV[0], TG_RELID);
	ELSE
		PERFORM ringfence.guard_admit(TG_ARGV[1], TG_ARGV[0], TG_RELID);
	END IF;
	RETURN NULL;
END
$body$;

-- Before a statement of a session that establishes, on a table whose rows belong to several leases. The last argument is the pattern of their names, for LIKE.
CREATE OR REPLACE FUNCTION ringfence.guard_begin() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
	name    text := ringfence.guard_unescape(substr(current_setting('ringfence.fence', true),
		length(split_part(current_setting('ringfence.fence', true), ':', 2)) + 6));
BEGIN
	IF name IS NULL OR name NOT LIKE TG_ARGV[1] THEN
		PERFORM ringfence.guard_refuse('invalid', TG_RELID, 'the fence is for a lease that protects no row here',
			'Run the work under the lease that protects what it writes.');
	END IF;
	PERFORM ringfence.guard_establish(name, TG_ARGV[0], TG_RELID);
	RETURN NULL;
END
$body$;

-- Before a row is written. The arguments are the rule, then texts and names of columns by turns: the parts of the lease's name.
CREATE OR REPLACE FUNCTION ringfence.guard_row() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
	carried text := current_setting('ringfence.fence', true);
	fresh   jsonb;
	stale   jsonb;
	mark    bigint;
	usual   boolean;
	name    text := TG_ARGV[1];
	earlier text := TG_ARGV[1];
BEGIN
	IF current_setting('ringfence.establish', true) = 'on' THEN
		PERFORM ringfence.guard_refuse('invalid', TG_RELID, 'a session with ringfence.establish on writes no row',
			'Set ringfence.establish to off once the term is established.');
	END IF;
	IF TG_NARGS > 2 THEN
		fresh := to_jsonb(NEW);
		stale := to_jsonb(OLD);
		FOR i IN 2..TG_NARGS - 1 LOOP
			name := name || CASE WHEN i % 2 = 0 THEN fresh ->> TG_ARGV[i] ELSE TG_ARGV[i] END;
			earlier := earlier || CASE WHEN i % 2 = 0 THEN stale ->> TG_ARGV[i] ELSE TG_ARGV[i] END;
		END LOOP;
	END IF;
	IF TG_OP = 'DELETE' THEN
		name := earlier;
	ELSIF TG_OP = 'UPDATE' AND earlier IS DISTINCT FROM name THEN
		PERFORM ringfence.guard_admit(coalesce(earlier, ''), TG_ARGV[0], TG_RELID); -- the row leaves that lease
	END IF;
	IF TG_ARGV[0] = 'latest' AND position('%' IN name) = 0 AND current_setting('transaction_isolation') = 'read committed' THEN -- the usual write, as in guard_statement
		SELECT m.token INTO mark FROM ringfence.guard_mark AS m
		WHERE m.lease = name AND m.path = pg_relation_filepath(m.tableoid) AND m.started = pg_postmaster_start_time();
		usual := carried = 'rf1:' || mark || ':' || replace(name, '/', '%2F');
		IF usual THEN
			PERFORM pg_advisory_xact_lock_shared(ringfence.guard_lock(name));
			usual := EXISTS (SELECT FROM ringfence.guard_mark AS m WHERE m.lease = name AND m.token = mark AND m.home IS NOT NULL);
		END IF;
	END IF;
	IF NOT coalesce(usual, false) THEN
		PERFORM ringfence.guard_admit(coalesce(name, ''), TG_ARGV[0], TG_RELID);
	END IF;
	IF TG_OP = 'DELETE' THEN
		RETURN OLD;
	END IF;
	RETURN NEW;
END
$body$;

-- Before a TRUNCATE of a table whose rows belong to several leases.
CREATE OR REPLACE FUNCTION ringfence.guard_truncate() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
BEGIN
	PERFORM ringfence.guard_refuse('invalid', TG_RELID, 'TRUNCATE writes rows of many leases, and a session carries the fence of one',
		'Delete the rows lease by lease, or remove the guard first: `ringfence guard remove`.');
	RETURN NULL;
END
$body$;

REVOKE ALL ON FUNCTION ringfence.guard_unescape(text), ringfence.guard_refuse(text, oid, text, text), ringfence.guard_token(text, oid),
	ringfence.guard_own(text, bigint, oid), ringfence.guard_establish(text, text, oid), ringfence.guard_admit(text, text, oid),
	ringfence.guard_place(text, text, oid, bigint, bigint, text), ringfence.guard_lock(text), ringfence.guard_home(), ringfence.guard_at_home(text, text),
	ringfence.guard_landed(text, bigint),
	ringfence.guard_statement(), ringfence.guard_begin(), ringfence.guard_row(), ringfence.guard_truncate() FROM PUBLIC;
