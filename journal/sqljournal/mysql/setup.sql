-- Creates the table of events, where it is missing.

-- Append-only, but for the oldest rows. It has no index on names: to read at most some 100,000 rows from the end is quick,
-- and every row that is added would pay for it. Times are microseconds since 1970, in UTC.
CREATE TABLE IF NOT EXISTS ringfence_event (
    seq      BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    at       BIGINT NOT NULL,
    kind     VARBINARY(256) NOT NULL,
    name     VARBINARY(512) NOT NULL COMMENT 'empty: the whole store',
    token    BIGINT NOT NULL COMMENT '0: none',
    until    BIGINT,
    holder   VARBINARY(256) NOT NULL,
    cause    VARBINARY(256) NOT NULL,
    resource VARBINARY(1024) NOT NULL,
    by_whom  VARBINARY(256) NOT NULL,
    detail   VARBINARY(1024) NOT NULL,
    lost     BIGINT NOT NULL COMMENT 'of a gap: how many events',
    id       VARBINARY(256) NOT NULL COMMENT 'a row that was added twice has the same'
) ENGINE = InnoDB
