-- Creates the tables and the record of this server. Running it again changes nothing. The table of leases comes
-- last: where both are there, the record is.

-- One row for the whole store: which server wrote it, and the floor of its tokens.
CREATE TABLE IF NOT EXISTS ringfence_store (
    single              TINYINT NOT NULL PRIMARY KEY COMMENT '1',
    schema_version      INT NOT NULL,
    identity            VARBINARY(512) NOT NULL,
    previous_identity   VARBINARY(512) NOT NULL,
    identity_changed_at BIGINT NOT NULL COMMENT '0: never',
    floor               BIGINT NOT NULL
) ENGINE = InnoDB;

INSERT INTO ringfence_store (single, schema_version, identity, previous_identity, identity_changed_at, floor)
SELECT 1, 1, /*identity*/, x'', 0, 0
ON DUPLICATE KEY UPDATE single = 1;

-- Who waits for a name, in the order in which they came: the living ones are served before anybody else. A place lives while
-- its owner says so.
CREATE TABLE IF NOT EXISTS ringfence_line (
    name      VARBINARY(512) NOT NULL,
    place     BIGINT NOT NULL AUTO_INCREMENT,
    attempt   VARBINARY(64) NOT NULL,
    holder    VARCHAR(256) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    joined_at BIGINT NOT NULL,
    lapses_at BIGINT NOT NULL,
    PRIMARY KEY (name, place),
    UNIQUE KEY attempt (name, attempt),
    KEY place (place)
) ENGINE = InnoDB;

-- One row a name. A row stays when its term is over: it carries the last token. Names compare byte for byte. Times are
-- microseconds since 1970.
CREATE TABLE IF NOT EXISTS ringfence_lease (
    name       VARBINARY(512) NOT NULL PRIMARY KEY,
    token      BIGINT NOT NULL COMMENT '1 to 2^53 - 1',
    attempt    VARBINARY(64) NOT NULL,
    holder     VARCHAR(256) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    state      VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'held, released or forced',
    granted_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL COMMENT 'of a term that was ended early: when',
    ended_by   VARCHAR(256) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    batch      BIGINT NOT NULL COMMENT 'random number of the statement that changed it last'
) ENGINE = InnoDB;
