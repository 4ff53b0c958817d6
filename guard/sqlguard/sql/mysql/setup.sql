-- Create the tables that hold marks, where they are missing.
CREATE TABLE IF NOT EXISTS ringfence_mark (
	resource VARBINARY(512) NOT NULL PRIMARY KEY,
	lease    VARBINARY(512) NOT NULL,
	token    BIGINT NOT NULL CHECK (token BETWEEN 1 AND 9007199254740991),
	seq      BIGINT NOT NULL CHECK (seq BETWEEN 0 AND 9007199254740991),
	`key`    VARBINARY(256) NOT NULL,
	at       BIGINT NOT NULL COMMENT 'milliseconds since 1970',
	writes   BIGINT NOT NULL COMMENT 'counts, so that every write changes the row'
) ENGINE = InnoDB;
CREATE TABLE IF NOT EXISTS ringfence_mark_term (
	resource VARBINARY(512) NOT NULL,
	token    BIGINT NOT NULL CHECK (token BETWEEN 1 AND 9007199254740991),
	seq      BIGINT NOT NULL CHECK (seq BETWEEN 1 AND 9007199254740991),
	`key`    VARBINARY(256) NOT NULL,
	at       BIGINT NOT NULL,
	PRIMARY KEY (resource, token)
) ENGINE = InnoDB;
CREATE TABLE IF NOT EXISTS ringfence_mark_reset (
	resource    VARBINARY(512) NOT NULL,
	incarnation BIGINT NOT NULL,
	lease       VARBINARY(512) NOT NULL,
	token       BIGINT NOT NULL,
	seq         BIGINT NOT NULL,
	`key`       VARBINARY(256) NOT NULL,
	above       BIGINT NOT NULL CHECK (above BETWEEN 0 AND 9007199254740990),
	reason      VARBINARY(1024) NOT NULL,
	`by`        VARBINARY(256) NOT NULL,
	role        VARBINARY(512) NOT NULL,
	at          BIGINT NOT NULL,
	PRIMARY KEY (resource, incarnation)
) ENGINE = InnoDB;
