-- Create the tables that hold marks, where they are missing. One simple query, so one transaction.
CREATE SCHEMA IF NOT EXISTS ringfence;
CREATE TABLE IF NOT EXISTS ringfence.mark (
	resource text COLLATE "C" PRIMARY KEY,
	lease    text COLLATE "C" NOT NULL,
	token    bigint NOT NULL CHECK (token BETWEEN 1 AND 9007199254740991),
	seq      bigint NOT NULL CHECK (seq BETWEEN 0 AND 9007199254740991),
	key      text COLLATE "C" NOT NULL,
	at       timestamptz NOT NULL
);
CREATE TABLE IF NOT EXISTS ringfence.mark_term (
	resource text COLLATE "C" NOT NULL,
	token    bigint NOT NULL CHECK (token BETWEEN 1 AND 9007199254740991),
	seq      bigint NOT NULL CHECK (seq BETWEEN 1 AND 9007199254740991),
	key      text COLLATE "C" NOT NULL,
	at       timestamptz NOT NULL,
	PRIMARY KEY (resource, token)
);
CREATE TABLE IF NOT EXISTS ringfence.mark_reset (
	resource    text COLLATE "C" NOT NULL,
	incarnation bigint NOT NULL,
	lease       text COLLATE "C" NOT NULL,
	token       bigint NOT NULL,
	seq         bigint NOT NULL,
	key         text COLLATE "C" NOT NULL,
	above       bigint NOT NULL CHECK (above BETWEEN 0 AND 9007199254740990),
	reason      text NOT NULL,
	by          text NOT NULL,
	role        text NOT NULL,
	at          timestamptz NOT NULL,
	PRIMARY KEY (resource, incarnation)
);
