-- Create the tables of ours, where they are missing: marks, the last writes of older terms, the incarnations that were given up, and what is guarded.
CREATE TABLE IF NOT EXISTS ringfence_guard_mark (
	lease   VARBINARY(512) NOT NULL PRIMARY KEY,
	token   BIGINT NOT NULL CHECK (token BETWEEN 1 AND 9007199254740991),
	seq     BIGINT NOT NULL DEFAULT 0 COMMENT 'the last write of that term; 0 when it only established',
	`key`   VARBINARY(256) NOT NULL DEFAULT '',
	`write` VARBINARY(64) NOT NULL DEFAULT '' COMMENT 'what the statements of that write have in common',
	at      BIGINT NOT NULL COMMENT 'milliseconds since 1970'
) ENGINE = InnoDB;
CREATE TABLE IF NOT EXISTS ringfence_guard_term (
	lease VARBINARY(512) NOT NULL,
	token BIGINT NOT NULL,
	seq   BIGINT NOT NULL,
	`key` VARBINARY(256) NOT NULL,
	PRIMARY KEY (lease, token)
) ENGINE = InnoDB;
CREATE TABLE IF NOT EXISTS ringfence_guard_reset (
	lease       VARBINARY(512) NOT NULL,
	incarnation BIGINT NOT NULL,
	token       BIGINT NOT NULL,
	seq         BIGINT NOT NULL,
	`key`       VARBINARY(256) NOT NULL,
	reason      VARBINARY(1024) NOT NULL,
	`by`        VARBINARY(256) NOT NULL,
	role        VARBINARY(512) NOT NULL,
	at          BIGINT NOT NULL,
	PRIMARY KEY (lease, incarnation)
) ENGINE = InnoDB;
CREATE TABLE IF NOT EXISTS ringfence_guarded (
	name  VARBINARY(256) NOT NULL PRIMARY KEY,
	lease VARBINARY(2048) NOT NULL,
	rule  VARBINARY(16) NOT NULL
) ENGINE = InnoDB;
