-- Create what demands signatures: the keys of the authorities and the function that verifies. It follows setup.sql. Running it again brings the function up to date.

-- The keys that are trusted, with the destination that their signatures have to name. Of a secret of HMAC-SHA256 two blocks are
-- kept: the secret with each byte of it, and of the zeros after it, combined by XOR with 0x36 (inner) and with 0x5c (outer).
-- So the functions that every server has are enough.
CREATE TABLE IF NOT EXISTS ringfence.guard_key (
	id         text COLLATE "C" PRIMARY KEY,
	authority  text COLLATE "C" NOT NULL,
	audience   text COLLATE "C" NOT NULL,
	inner_pad  bytea NOT NULL CHECK (octet_length(inner_pad) = 64),
	outer_pad  bytea NOT NULL CHECK (octet_length(outer_pad) = 64),
	trusted_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
REVOKE ALL ON ringfence.guard_key FROM PUBLIC;

-- The HMAC-SHA256 of a message, in base64url without padding, as a signature has it.
CREATE OR REPLACE FUNCTION ringfence.guard_hmac(inner_pad bytea, outer_pad bytea, message text) RETURNS text
LANGUAGE sql IMMUTABLE RETURN
	translate(rtrim(encode(sha256(outer_pad || sha256(inner_pad || convert_to(message, 'UTF8'))), 'base64'), '='), '+/', '-_');

-- Before a statement or a row: refuse a session whose fence no trusted key has signed for this destination, until now. The
-- arguments are the roles that need no signature. Sums are compared by their hashes, so that the time it takes tells nothing.
CREATE OR REPLACE FUNCTION ringfence.guard_signed() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
	fence  text := current_setting('ringfence.fence', true);
	signed text := coalesce(current_setting('ringfence.signature', true), '');
	part   text[]; -- rs1, the key's id, the end in seconds since 1970, the holder, the sum
	key    record;
	why    text := 'this session carries no signature of its fence';
	exempt boolean := false;
BEGIN
	FOR i IN 0..TG_NARGS - 1 LOOP
		exempt := exempt OR coalesce(pg_has_role(session_user, to_regrole(quote_ident(TG_ARGV[i])), 'MEMBER'), false);
	END LOOP;
	IF NOT exempt AND signed <> '' THEN
		part := string_to_array(left(signed, 257), ':');
		SELECT * INTO key FROM ringfence.guard_key AS k WHERE k.id = part[2];
		why := CASE
			WHEN octet_length(signed) > 256 OR cardinality(part) <> 5 OR part[1] <> 'rs1' OR part[3] !~ '^[1-9][0-9]{0,11}$' THEN 'ringfence.signature is not a signature'
			WHEN key.id IS NULL THEN 'nobody here trusts the key of its signature'
			WHEN sha256(key.outer_pad || convert_to(part[5], 'UTF8')) <> sha256(key.outer_pad || convert_to(ringfence.guard_hmac(key.inner_pad, key.outer_pad,
				concat_ws(E'\n', 'ringfence signature 1', key.id, key.authority, fence, part[4], key.audience, part[3])), 'UTF8'))
				THEN format('the key %s has not signed this name and token for %s', quote_literal(key.id), quote_literal(key.audience))
			WHEN clock_timestamp() > to_timestamp(part[3]::bigint) THEN format('its signature was good until %s', to_timestamp(part[3]::bigint))
		END;
	END IF;
	IF NOT exempt AND why IS NOT NULL THEN
		PERFORM ringfence.guard_refuse('invalid', TG_RELID, why,
			'Start the program under `ringfence run --sign FILE`, with -c ringfence.signature=$RINGFENCE_SIGNATURE in PGOPTIONS beside the fence.');
	END IF;
	IF TG_LEVEL = 'STATEMENT' THEN
		RETURN NULL;
	ELSIF TG_OP = 'DELETE' THEN
		RETURN OLD;
	END IF;
	RETURN NEW;
END
$body$;

REVOKE ALL ON FUNCTION ringfence.guard_hmac(bytea, bytea, text), ringfence.guard_signed() FROM PUBLIC;
